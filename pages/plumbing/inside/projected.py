"""Projections: what enters the layer, and the queries, keys and values that one head makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, pointing, words
from pages.plumbing.inside import draw
from pages.plumbing.pointing import Labels
from pages.plumbing.sheets import grid, measured, numbered

AXES = {"rows": "position", "columns": "dimension", "value": "value"}
WEIGHTS = {"rows": "of_input", "columns": "of_output", "value": "value"}
LETTERS = {"queries": "Q", "keys": "K", "values": "V"}
TALL = 360


def show(ref: core.TraceRef) -> None:
    """Show X, the three matrices, and Q, K and V with every stage that the family has."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = pointing.cell("inside", ref, pointing.head("inside", ref))
    told = doors.ask(ref, core.analysis.projections.projections, **pointing.where(chosen))
    rows, columns = labels = pointing.labels(ref, chosen.side)
    words.plain(words.t("inside.grouped", head=chosen.heads[0], group=told.keys.group), "first", "grouped")
    query, key = chosen.query or 0, chosen.key or 0
    _enters(told, rows, query)
    _made(told.queries, told.read, rows, query)
    for kind in (told.keys, told.values):
        _made(kind, told.source, columns, key)
    _together(told, chosen, labels)
    for column, (kind, names) in zip(st.columns(2, gap="large"), (("queries", rows), ("keys", columns)), strict=True):
        with column:
            _alike(kind, getattr(told, kind).used, names)


def _enters(told: Any, rows: tuple[str, ...], query: int) -> None:
    """Show what enters the layer, and beside it what its norm makes of it where the family norms first."""
    if np.array_equal(told.entering, told.read):
        words.plain(words.t("inside.reads_stream"), "line", "enters")
        return
    words.plain(words.t("inside.reads_norm"), "line", "enters")
    for column, name, cells in zip(
        st.columns(2, gap="medium"), ("entering", "read"), (told.entering, told.read), strict=True
    ):
        with column:
            draw.signed(cells, name, rows, "projections", AXES, row=query)


def _made(made: Any, read: np.ndarray, labels: tuple[str, ...], place: int) -> None:
    """Show one chain: X, times W, gives all heads; then this head's part of W, and its stages."""
    kind, mine = made.kind, slice(made.first, made.first + made.projected.shape[1])
    st.subheader(words.t(f"inside.{kind}"), anchor=False)
    st.latex(words.t("inside.formula_projection", letter=LETTERS[kind], bias=_bias(made)))
    words.plain(words.t(f"inside.slice_{kind}", first=mine.start, last=mine.stop - 1), "line", kind)
    high = core.figures.high(len(labels))
    one, two, three = st.columns(3, gap="medium")
    with one:
        draw.signed(read, f"{kind}_read", labels, "projections", AXES, row=place)
    with two:
        _weights(made, mine)
    with three:
        draw.signed(made.whole, f"{kind}_whole", labels, "projections", AXES, marked=mine, row=place)
    _first(made, read, labels, place)
    columns = st.columns(max(3, 1 + len(made.stages)), gap="medium")
    with columns[0]:
        names = range(len(made.weight))
        draw.signed(made.weight, f"{kind}_weight", names, "projections", WEIGHTS, height=max(TALL, high))
    for column, (stage, cells) in zip(columns[1:], made.stages.items(), strict=False):
        with column:
            draw.signed(cells, f"{kind}_{stage}", labels, "projections", AXES, row=place, height=max(TALL, high))


def _weights(made: Any, mine: slice) -> None:
    """Draw the whole matrix with the head's slice marked; a large one by the largest number of each block."""
    down, across = made.block
    cells, kind = made.weights, made.kind
    said = draw.say(f"title_{kind}_weights", WEIGHTS)
    rows, columns = [n * down for n in range(cells.shape[0])], [n * across for n in range(cells.shape[1])]
    top = core.figures.most(cells)
    marked = slice(mine.start / across, mine.stop / across)
    chart = core.figures.signed_map(
        cells, range(len(rows)), range(len(columns)), said, height=TALL, top=top, marked=marked
    )
    for axis, places in (("xaxis", columns), ("yaxis", rows)):
        ticks = range(0, len(places), max(1, len(places) // 4))
        chart.layout[axis].update(tickmode="array", tickvals=[*ticks], ticktext=[str(places[n]) for n in ticks])
    drawn.figure(chart, f"inside.{kind}_weights", "projections", grid(words.t("inside.of_input"), rows, columns, cells))
    if made.block != (1, 1):
        words.plain(words.t("inside.blocks", rows=down, columns=across), "note", f"blocks-{kind}")


def _first(made: Any, read: np.ndarray, labels: tuple[str, ...], place: int) -> None:
    """Work the head's first number out for one token."""
    product = float(read[place].astype(np.float64) @ made.weight[:, 0].astype(np.float64))
    found = float(made.projected[place, 0])
    told = {"token": words.quoted(labels[place]), "product": measured(product), "found": measured(found)}
    key = "first_plain" if made.multiplied is None else "first_biased"
    words.plain(words.t(f"inside.{key}", bias=measured(found - product), **told), "line", f"first-{made.kind}")


def _bias(made: Any) -> str:
    return "" if made.multiplied is None else f" + b_{LETTERS[made.kind]}"


def _together(told: Any, chosen: core.Choice, labels: Labels) -> None:
    (rows, columns), query, key = labels, chosen.query or 0, chosen.key or 0
    st.subheader(words.t("inside.together"), anchor=False)
    named = {"query": words.quoted(rows[query]), "other": words.quoted(columns[key])}
    words.plain(words.t("inside.told_together", **named), "line", "together")
    ends = {"queries": query, "keys": key, "values": key}
    for column, (kind, place) in zip(st.columns(3, gap="medium"), ends.items(), strict=True):
        with column:
            draw.bars(getattr(told, kind).used[place], f"one_{kind}", "projections")


def _alike(kind: str, vectors: np.ndarray, labels: tuple[str, ...]) -> None:
    words.plain(words.t(f"inside.alike_{kind}"), "who", f"alike-{kind}")
    named, pairs = numbered(labels), core.analysis.projections.alike(vectors)
    numbers = {
        words.t("inside.one"): [named[pair.one] for pair in pairs],
        words.t("inside.other"): [named[pair.other] for pair in pairs],
        words.t("inside.cosines"): [measured(pair.cosine) for pair in pairs],
    }
    drawn.table(numbers, f"inside.alike-{kind}", "alike")
