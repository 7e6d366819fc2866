"""The cache against the length of the text: sixteen published models, what fits on which card, and fewer bits."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.cost import bill, formula
from pages.plumbing.cost.amounts import size

figures, cost = core.figures, core.cost
LENGTHS = tuple(2**power for power in range(7, 21))
BITS = (16, 8, 4)
PER_TOKEN = 1 << 20


def show(_: core.TraceRef) -> None:
    """Show how caches grow, then every model at one length, then what fits where."""
    known = bill.models()
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chip, load = bill.card(), bill.load()
    chosen = fields.some("cost.models", tuple(known), lambda name: known[name].title)
    length = bill.length()
    if chosen:
        _curves([known[name] for name in chosen], chip, length, load)
    _every(length, load)
    _fits(load)
    _fewer(length)
    formula.show("keeping")


def _curves(models: list[Any], chip: Any, length: int, load: Any) -> None:
    """Draw the cache of some models, and the memory of the card across."""
    lines = {one.title: (LENGTHS, [load.batch * one.kept(at, load.kept) for at in LENGTHS]) for one in models}
    levels = {words.t("cost.memory_of", chip=chip.title): chip.memory}
    marks = {words.t("cost.length_here", length=f"{length:,}"): length}
    title = bill.say("title_caches", {"x": "axis_length", "y": "bytes"}, batch=f"{load.batch:,}")
    chart = figures.scaling(lines, title, marks=marks, levels=levels, height=480)
    numbers = {words.t("cost.axis_length"): LENGTHS} | {name: line[1] for name, line in lines.items()}
    drawn.figure(chart, "cost.caches", "cache", numbers)
    words.plain(words.t("cost.caches_said"), "line", "caches")


def _every(length: int, load: Any) -> None:
    known = tuple(bill.models().values())
    words.plain(words.t("cost.every", length=f"{length:,}"), "title", "every")
    columns: dict[str, list[Any]] = {
        words.t("cost.model"): [one.title for one in known],
        words.t("cost.kind"): [words.t(f"cost.kind_{one.kind}") for one in known],
        words.t("cost.layers_of"): [_layers(one) for one in known],
        words.t("cost.heads_of"): [f"{one.heads} / {one.groups}" if one.heads else "—" for one in known],
        words.t("cost.each_token"): [_each(one, load) for one in known],
        words.t("cost.cache_at"): [size(one.kept(length, load.kept)) for one in known],
        words.t("cost.weights"): [size(one.parameters * load.weight) for one in known],
        words.t("cost.longest"): [f"{one.positions:,}" if one.positions else "—" for one in known],
        words.t("cost.read_at"): [words.t(f"cost.read_{one.read}") for one in known],
        words.t("cost.source"): [f"{one.source} · {one.address}" for one in known],
    }
    wide = {words.t("cost.layers_of"): 230, words.t("cost.heads_of"): 100, words.t("cost.source"): 640}
    drawn.table(columns, "cost.every", "models", _plain(columns, known, length, load), rows=len(known), wide=wide)
    shorter = [one.title for one in known if one.positions and length > one.positions]
    if shorter:
        told = {"names": words.t("cost.comma").join(shorter), "length": f"{length:,}"}
        words.plain(words.t("cost.beyond_several", **told), "note", "beyond")
    read = {one.title: words.t(f"cost.read_{one.read}") for one in known}
    bill.where({one.title: f"{one.source} · {read[one.title]}, {one.address}" for one in known})


def _plain(columns: dict[str, Any], known: tuple[Any, ...], length: int, load: Any) -> dict[str, Any]:
    """Return the columns with bytes as numbers, to take along."""
    raw = {
        "cache_at": [one.kept(length, load.kept) for one in known],
        "weights": [one.parameters * load.weight for one in known],
        "longest": [one.positions or "" for one in known],
    }
    return columns | {words.t(f"cost.{name}"): values for name, values in raw.items()}


def _layers(one: Any) -> str:
    """Say how many layers keep everything, look through a window, or keep a state."""
    kinds = {"whole": one.layers - one.windowed - one.states, "windowed": one.windowed, "states": one.states}
    there = [
        words.t(f"cost.layers_{kind}", count=count, window=f"{one.window:,}") for kind, count in kinds.items() if count
    ]
    return words.t("cost.comma").join(there)


def _each(one: Any, load: Any) -> str:
    """Write the bytes that one more token costs at first, and once windows are full, where that is less."""
    first, late = (one.kept(at + 1, load.kept) - one.kept(at, load.kept) for at in (1, PER_TOKEN))
    return f"{first:,.0f}" if first == late else f"{first:,.0f} → {late:,.0f}"


def _fits(load: Any) -> None:
    """Show the longest text of each model on each card."""
    known, cards = tuple(bill.models().values()), cost.chips()
    words.plain(words.t("cost.fits", batch=f"{load.batch:,}"), "title", "fits")
    columns: dict[str, list[Any]] = {words.t("cost.model"): [one.title for one in known]}
    for chip in cards:
        columns[chip.title] = [_longest(one, chip, load) for one in known]
    drawn.table(columns, "cost.fits", "fits", rows=len(known))
    words.plain(words.t("cost.fits_said"), "note", "fits")


def _longest(one: Any, chip: Any, load: Any) -> str:
    """Say how long a text fits; of one that is longer than what a model is published for, both lengths."""
    found = cost.longest(one, chip, load)
    if found == 0:
        return words.t("cost.no_card", cards=f"{cost.cards(one, chip, 1, load):,}")
    said = words.t("cost.any_length") if found is None else f"{found:,}"
    if one.positions and (found is None or found > one.positions):
        return words.t("cost.fits_within", most=f"{one.positions:,}", length=said)
    return said


def _fewer(length: int) -> None:
    """Draw what fewer bits save, model by model."""
    known = sorted(bill.models().values(), key=lambda one: -one.kept(length))
    names = [one.title for one in known]
    series = {words.t("cost.in_bits", bits=bits): [one.kept(length, bits / 8) for one in known] for bits in BITS}
    title = bill.say("title_fewer", {"x": "bytes"}, length=f"{length:,}")
    chart = figures.beside(names, series, title)
    drawn.figure(chart, "cost.fewer", "fewer", {words.t("cost.model"): names, **series})
    words.plain(words.t("cost.fewer_said"), "note", "fewer")
