"""Projections: what enters the layer, and the queries, keys and values that one head makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, words
from pages.plumbing.inside import controls, draw
from pages.plumbing.inside.controls import say
from pages.plumbing.inside.spelling import measured

STAGES = ("projected", "normed", "turned")
AXES = {"rows": "position", "columns": "dimension", "value": "value"}


def show(ref: core.TraceRef) -> None:
    """Show X, then Q, K and V with every stage that the family has."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = controls.cell(ref, controls.head(ref))
    told = doors.ask(ref, core.analysis.projections.projections, **controls.where(chosen))
    rows, columns = controls.labels(ref, chosen.side)
    words.plain(words.t("inside.grouped", head=chosen.heads[0], group=told.keys.group), "first", "grouped")
    _map("entering", told.entering, rows)
    if chosen.side == "cross":
        _map("source", told.source, columns)
    for kind, labels in (("queries", rows), ("keys", columns), ("values", columns)):
        _stages(getattr(told, kind), labels)
    _together(told, chosen, rows, columns)
    for column, (kind, labels) in zip(st.columns(2, gap="large"), (("queries", rows), ("keys", columns)), strict=True):
        with column:
            _alike(kind, getattr(told, kind).used, labels)


def _stages(made: Any, labels: tuple[str, ...]) -> None:
    st.subheader(words.t(f"inside.{made.kind}"), anchor=False)
    last = made.first + made.projected.shape[1] - 1
    biased = words.t("inside.biased" if made.biased else "inside.unbiased")
    words.plain(words.t(f"inside.slice_{made.kind}", first=made.first, last=last, biased=biased), "line", made.kind)
    present = [(stage, getattr(made, stage)) for stage in STAGES if getattr(made, stage) is not None]
    columns = st.columns([2, *(1 for _ in present)] if len(present) == 1 else len(present) + 1, gap="medium")
    with columns[0]:
        _map(f"{made.kind}_whole", made.whole, labels, slice(made.first, last + 1))
    for column, (stage, cells) in zip(columns[1:], present, strict=True):
        with column:
            _map(f"{made.kind}_{stage}", cells, labels)


def _map(name: str, cells: np.ndarray, labels: tuple[str, ...], marked: slice | None = None) -> None:
    title = say(f"title_{name}", AXES, shape=" × ".join(map(str, cells.shape)))
    high, top = core.figures.high(len(labels)), core.figures.most(cells)
    chart = core.figures.signed_map(cells, labels, range(cells.shape[1]), title, height=high, top=top)
    if marked is not None:
        edge = {"line": {"width": 2, "color": "#009E73"}, "fillcolor": "rgba(0, 0, 0, 0)"}
        chart.add_vrect(x0=marked.start - 0.5, x1=marked.stop - 0.5, **edge)
    numbers: dict[str, Any] = {words.t("inside.position"): controls.numbered(labels)}
    numbers |= {str(dimension): cells[:, dimension] for dimension in range(cells.shape[1])}
    draw.figure(chart, name, "projections", numbers)


def _together(told: Any, chosen: core.Choice, rows: tuple[str, ...], columns: tuple[str, ...]) -> None:
    query, key = chosen.query or 0, chosen.key or 0
    st.subheader(words.t("inside.together"), anchor=False)
    named = {"query": words.quoted(rows[query]), "other": words.quoted(columns[key])}
    words.plain(words.t("inside.told_together", **named), "line", "together")
    ends = {"queries": query, "keys": key, "values": key}
    for column, (kind, place) in zip(st.columns(3, gap="medium"), ends.items(), strict=True):
        with column:
            values = getattr(told, kind).used[place]
            chart = core.figures.signed_bars(values, say(f"title_one_{kind}", {"x": "dimension", "y": "value"}))
            numbers = {words.t("inside.dimension"): list(range(len(values))), words.t("inside.value"): values}
            draw.figure(chart, f"one-{kind}", "projections", numbers)


def _alike(kind: str, vectors: np.ndarray, labels: tuple[str, ...]) -> None:
    words.plain(words.t(f"inside.alike_{kind}"), "who", f"alike-{kind}")
    named = controls.numbered(labels)
    pairs = core.analysis.projections.alike(vectors)
    numbers = {
        words.t("inside.one"): [named[pair.one] for pair in pairs],
        words.t("inside.other"): [named[pair.other] for pair in pairs],
        words.t("inside.cosines"): [measured(pair.cosine) for pair in pairs],
    }
    draw.table(numbers, f"alike-{kind}", "alike")
