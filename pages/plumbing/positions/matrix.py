"""The matrix: what each scheme writes down for every position."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, doors, fields, words
from pages.plumbing.positions import controls, draw
from pages.plumbing.positions.controls import number, say

held, order, figures = core.analysis.held, core.analysis.order, core.figures
WIDEST = 512


def show(ref: core.TraceRef) -> None:
    """Show the chosen scheme."""
    with st.container(key="options"):
        controls.pick("scheme")
        controls.settings(_settings(ref, controls.now("scheme")))
    st.markdown(words.t(f"positions.lead_{controls.now('scheme')}"))
    SHOWN[controls.now("scheme")](ref)


def sinusoidal(_: core.TraceRef) -> None:
    """Show the paper's rows, and single dimensions of them as curves."""
    scheme = chosen()
    found = order.rows(scheme, number("length"), number("start"))
    title = say("title_sinusoidal", width=scheme.width, base=number("base"), axes=AXES)
    columns = range(scheme.width)
    chart = figures.signed_map(found.values, found.positions, columns, title)
    draw.figure(chart, "sinusoidal", "sinusoidal", draw.grid(found.values, found.positions, columns))
    _thinned(len(found.positions), number("length"))
    dimensions = fields.several("positions.curves", scheme.width)
    near = order.neighbours(scheme, dimensions, number("length"), number("start"))
    _curves(near, [_wave(wave) for wave in order.waves(scheme, dimensions)], "waves", "sinusoidal")


def chosen() -> Any:
    """Return the sinusoids that a person set."""
    return order.sinusoids(number("width"), float(number("base")), controls.now("layout"))


def learned(ref: core.TraceRef) -> None:
    """Show the model's own table."""
    found = doors.ask(ref, order.learned)
    if found is None:
        return _none(ref, "learned")
    cells = found.values[:, :WIDEST]
    title = say("title_learned", model=ask.called(ref.request.model), axes=AXES)
    chart = figures.signed_map(cells, found.positions, range(cells.shape[1]), title, top=figures.most(cells))
    draw.figure(chart, "learned", "learned", draw.grid(cells, found.positions, range(cells.shape[1])))
    words.plain(words.t("positions.colour_ends"), "note", "colour")
    if found.values.shape[1] > WIDEST:
        words.plain(words.t("positions.narrow", shown=WIDEST, width=found.values.shape[1]), "note", "narrow")
    _thinned(len(found.positions), found.length)
    dimensions = fields.several("positions.curves", found.values.shape[1])
    near = doors.ask(ref, order.learned_neighbours, dimensions=dimensions, start=number("start"))
    _curves(near, [words.t("positions.dimension_of", dimension=n) for n in dimensions], "learned-curves", "learned")
    return None


def rotary(ref: core.TraceRef) -> None:
    """Show by which angle every pair is turned: the model's own where it turns its heads."""
    where = controls.one_head()
    place = {"length": number("length"), "start": number("start")}
    found = doors.ask(ref, held.turns, side=where.side, layer=where.layer, **place)
    if found is None:
        _none(ref, "rotary")
    found, whose = (held.turns_of(**place), "paper") if found is None else (found, "model")
    pairs = range(found.angles.shape[1])
    title = say(
        f"title_rotary_{whose}", model=ask.called(ref.request.model), axes={**AXES, "columns": "pair", "value": "angle"}
    )
    chart = figures.signed_map(found.angles, found.positions, pairs, title, top=3.14159265)
    draw.figure(chart, "rotary", "rotary", draw.grid(found.angles, found.positions, pairs))
    _thinned(len(found.positions), number("length"))
    title = say("title_wavelengths", axes={"x": "pair", "y": "wavelength"})
    chart = figures.curves(list(pairs), {words.t("positions.wavelength"): found.wavelengths}, title, tall=True)
    named: dict[str, Any] = {words.t("positions.pair"): list(pairs), words.t("positions.wavelength"): found.wavelengths}
    draw.figure(chart, "wavelengths", "rotary", named)


def alibi(ref: core.TraceRef) -> None:
    """Show what every head takes away for each step back: the model's own slopes where it has them."""
    own = doors.ask(ref, held.slopes, side=controls.one_head().side)
    if own is None:
        _none(ref, "alibi")
    steep, whose = (held.slopes_of(number("slopes")), "paper") if own is None else (own, "model")
    cells = held.biases(steep, number("farthest"))
    names = [words.t("positions.slope_of", head=head, slope=f"{value:.7g}") for head, value in enumerate(steep)]
    title = say(
        f"title_alibi_{whose}", model=ask.called(ref.request.model), heads=len(steep), axes={"x": "back", "y": "bias"}
    )
    distances = range(cells.shape[1])
    chart = figures.curves(list(distances), dict(zip(names, cells, strict=True)), title)
    draw.figure(chart, "alibi", "alibi", draw.grid(cells, names, distances))


def buckets(ref: core.TraceRef) -> None:
    """Show which distances share a bucket, and what the model learned for each where it has them."""
    own = doors.ask(ref, held.buckets, farthest=number("farthest"), side=controls.one_head().side)
    if own is None:
        _none(ref, "buckets")
    found = own or held.buckets_of(number("farthest"))
    title = say("title_buckets", axes={"x": "relative", "y": "bucket"})
    chart = figures.curves(found.offsets, {words.t("positions.bucket"): found.buckets}, title, steps=True)
    named = {words.t("positions.relative"): found.offsets, words.t("positions.bucket"): found.buckets}
    draw.figure(chart, "buckets", "buckets", named)
    if found.values is None:
        return
    heads = range(len(found.values))
    title = say("title_bucket_values", axes={"rows": "head", "columns": "relative", "value": "bias"})
    chart = figures.signed_map(found.values, heads, found.offsets, title)
    draw.figure(chart, "bucket-values", "buckets", draw.grid(found.values, heads, found.offsets))


def _settings(ref: core.TraceRef, scheme: str) -> tuple[str, ...]:
    """Return what can be set; a model that has slopes of its own also has its number of heads."""
    own = scheme == "alibi" and doors.ask(ref, held.slopes, side=controls.one_head().side) is not None
    return tuple(name for name in SETTINGS[scheme] if not (own and name == "slopes"))


def _curves(found: Any, names: list[str], name: str, source: str) -> None:
    series = dict(zip(names, found.values.T, strict=True))
    title = say(
        "title_curves", first=found.positions[0], last=found.positions[-1], axes={"x": "position", "y": "value"}
    )
    chart = figures.curves(found.positions, series, title)
    draw.figure(chart, name, source, {words.t("positions.position"): found.positions, **series})


def _wave(wave: Any) -> str:
    return words.t(f"positions.wave_{wave.kind}", dimension=wave.dimension, wavelength=f"{wave.wavelength:,.1f}")


def _thinned(drawn: int, length: int) -> None:
    if drawn < length:
        words.plain(words.t("positions.thinned", drawn=drawn, length=f"{length:,}"), "note", "thinned")


def _none(ref: core.TraceRef, scheme: str) -> None:
    """Say that the model does not do this, and how it does it."""
    where = controls.one_head()
    names = doors.ask(ref, held.names, side=where.side, layer=where.layer)
    there = ", ".join(words.t(f"positions.scheme_{name}") for name in names) or words.t("positions.nothing")
    words.plain(words.t(f"positions.none_{scheme}", model=ask.called(ref.request.model), there=there), "line", "none")


AXES = {"rows": "position", "columns": "dimension", "value": "value"}
SHOWN = {"sinusoidal": sinusoidal, "learned": learned, "rotary": rotary, "alibi": alibi, "buckets": buckets}
SETTINGS = {
    "sinusoidal": ("length", "start", "width", "base", "layout"),
    "learned": ("start",),
    "rotary": ("length", "start"),
    "alibi": ("slopes", "farthest"),
    "buckets": ("farthest",),
}
