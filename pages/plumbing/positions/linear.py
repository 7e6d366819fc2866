"""Relative position is linear: one matrix moves every position by the same offset, and products know only the
distance."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, doors, fields, words
from pages.plumbing.positions import controls, draw, matrix
from pages.plumbing.positions.controls import number, say
from pages.plumbing.sheets import measured

held, order, figures = core.analysis.held, core.analysis.order, core.figures


def show(ref: core.TraceRef) -> None:
    """Show the matrix of an offset, and under it how alike two positions are at each distance."""
    with st.container(key="options"):
        fields.slide("positions.offset")
        controls.settings(("width", "base", "length", "layout"))
    _shift()
    st.subheader(words.t("positions.alike"), anchor=False)
    st.markdown(words.t("positions.alike_lead"))
    with st.container(key="options-alike", horizontal=True, gap="medium", vertical_alignment="bottom"):
        fields.count("positions.farthest")
        where = controls.head(ref)
    _products(ref, where, number("farthest"))


def _shift() -> None:
    scheme = matrix.chosen()
    found = order.shift(scheme, number("offset"), number("length"))
    dimensions = range(scheme.width)
    left, right = st.columns([3, 2], gap="large")
    with left:
        title = say("title_shift", offset=found.offset, axes={"rows": "row", "columns": "column", "value": "value"})
        chart = figures.signed_map(found.matrix, dimensions, dimensions, title, top=1.0)
        draw.figure(chart, "shift", "shift", draw.grid(found.matrix, dimensions, dimensions))
    with right:
        _said(scheme, found)


def _said(scheme: Any, found: Any) -> None:
    words.plain(words.t("positions.error", error=measured(found.error), checked=f"{found.checked:,}"), "first", "error")
    if found.checked < number("length"):
        words.plain(words.t("positions.checked", length=f"{number('length'):,}"), "note", "checked")
    first, last = order.block(scheme, found, 0), order.block(scheme, found, scheme.width // 2 - 1)
    for name, block in (("fastest", first), ("slowest", last)):
        cosine, sine = (f"{value:+.4f}".replace("-", "−") for value in block)
        told = {"offset": found.offset, "cosine": cosine, "sine": sine}
        words.plain(words.t(f"positions.block_{name}", **told), "line", f"block-{name}")
    words.plain(words.t("positions.blocks"), "line", "blocks")


def _products(ref: core.TraceRef, where: core.Choice, farthest: int) -> None:
    left, middle, right = st.columns(3, gap="medium")
    with left:
        title = {"width": number("width"), "base": number("base")}
        _band(order.likeness_of_scheme(matrix.chosen(), farthest), "sinusoidal", title, "shift")
    with middle:
        table = doors.ask(ref, order.likeness_of_learned, farthest=farthest)
        if table is None:
            _other(ref, "learned")
        else:
            _band(table, "learned", {"model": ask.called(ref.request.model)}, "learned")
    with right:
        _turned(ref, where, farthest)


def _turned(ref: core.TraceRef, where: core.Choice, farthest: int) -> None:
    place = {"side": where.side, "layer": where.layer, "head": where.heads[0]}
    found = doors.ask(ref, held.likeness_of_turning, farthest=farthest, **place)
    if found is None:
        _band(held.likeness_of_rotary(farthest), "ones", {}, "rotary")
        _other(ref, "rotary")
    else:
        _band(found, "rotary", {"model": ask.called(ref.request.model), **place}, "rotary")


def _band(found: Any, name: str, values: dict[str, Any], source: str) -> None:
    axes = {"x": "distance", "y": "alike_axis", "mean": "mean", "between": "between"}
    title = say(f"title_alike_{name}", **values, axes=axes)
    chart = figures.band(found.offsets, found.mean, found.lowest, found.highest, title, reach=found.reach)
    columns = {"distance": found.offsets, "mean": found.mean, "lowest": found.lowest, "highest": found.highest}
    sheet = {words.t(f"positions.{key}"): values for key, values in columns.items()}
    draw.figure(chart, f"alike-{name}", source, sheet)
    words.plain(words.t("positions.spread", spread=measured(found.spread)), "line", f"spread-{name}")
    if found.beyond is not None:
        words.plain(words.t("positions.beyond_axis", highest=f"{found.beyond:.3g}"), "line", f"beyond-{name}")
    words.plain(words.t(f"positions.alike_{name}"), "note", f"alike-{name}")


def _other(ref: core.TraceRef, scheme: str) -> None:
    words.plain(
        words.t(f"positions.alike_none_{scheme}", model=ask.called(ref.request.model)), "note", f"none-{scheme}"
    )
