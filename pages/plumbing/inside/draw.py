"""A figure of the Inside page: the chart, where its formula comes from, and exactly its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import words
from pages.plumbing.inside import controls
from pages.plumbing.inside.spelling import measured, sheet

ROWS = 14
HIGH = 420


def spread(name: str, *, even: bool = False) -> Any:
    """Return the two columns of a step: what it says, and its numbers."""
    with st.container(key=f"spread-{name}"):
        return st.columns([1, 1] if even else [2, 3], gap="large")


def figure(chart: Any, name: str, source: str, numbers: Mapping[str, Any]) -> None:
    """Show a chart, the message that names its source, and its numbers to take along."""
    st.plotly_chart(chart, key=f"chart.inside.{name}")
    under(name, source, numbers)


def tokens(
    cells: np.ndarray,
    name: str,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    *,
    rule: Any = None,
    top: float | None = 1.0,
) -> None:
    """Show one map between tokens."""
    said = controls.say(
        f"title_{name}", {"query": "query", "key": "key", "share": "share" if top else "strength_short"}
    )
    chart = core.figures.heatmap(cells, rows, columns, said, rule=rule, top=top)
    figure(chart, name, "softmax" if top else "strength", grid("query", rows, columns, cells))


def grid(first: str, rows: Sequence[str], columns: Sequence[str], cells: np.ndarray) -> dict[str, Any]:
    """Return a map as columns of numbers, its rows named in the first; no two columns are called alike."""
    named = dict(zip(controls.numbered(columns), cells.T, strict=True))
    return {words.t(f"inside.{first}"): controls.numbered(rows), **named}


def table(columns: Mapping[str, Any], name: str, source: str, whole: Mapping[str, Any] | None = None) -> None:
    """Show numbers as a table, with their source, to take along; `whole` are more than the table shows."""
    height: Any = "content" if len(next(iter(columns.values()))) <= ROWS else HIGH
    st.dataframe(dict(columns), hide_index=True, height=height, key=f"table.inside.{name}")
    under(name, source, whole or columns)


def under(name: str, source: str, numbers: Mapping[str, Any]) -> None:
    """Show where a formula comes from, and a button for the numbers."""
    with st.container(key=f"under-{name}", horizontal=True, gap="medium", vertical_alignment="center"):
        words.plain(words.t(f"inside.source_{source}"), "note", f"source-{name}")
        st.download_button(
            words.t("inside.csv"),
            sheet(numbers),
            f"inside-{name}.csv",
            "text/csv",
            key=f"csv.inside.{name}",
            type="tertiary",
            on_click="ignore",
        )


def step(name: str, **values: Any) -> None:
    """Show one step of a sum: what it is, its formula with the numbers put in, and its number in words."""
    told = {key: measured(value) if isinstance(value, float) else value for key, value in values.items()}
    words.plain(words.t(f"inside.step_{name}"), "who", f"step-{name}")
    st.latex(words.t(f"inside.formula_{name}", **told))
    words.plain(words.t(f"inside.told_{name}", **told), "line", f"told-{name}")
