"""A figure of a page: the chart, its shape and source, and exactly its numbers. Names are "page.figure"."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

import core
from pages.plumbing import keeping, sketching, words
from pages.plumbing.sheets import shape, sheet

ROWS, HIGH, NARROW = 14, 420, 18


def figure(chart: Any, name: str, source: str, numbers: Mapping[str, Any]) -> None:
    """Show a chart, how much it shows and where that comes from, and its numbers to take along (no others than those of
    the picture where none are given), and as SVG."""
    if isinstance(chart, core.figures.Sketch):
        _sketch(chart, name, source, numbers)
        return
    kept = {"format": "svg", "filename": name.replace(".", "-")}
    st.plotly_chart(chart, key=f"chart.{name}", config={"displaylogo": False, "toImageButtonOptions": kept})
    under(name, source, numbers, shape(chart), picture=True)


def _sketch(chart: core.figures.Sketch, name: str, source: str, numbers: Mapping[str, Any]) -> None:
    """Show a sketch, which brings along what stands under it, its numbers too: one message."""
    page, _, called = name.partition(".")
    said = {"csv": words.t(f"{page}.csv"), **{key: words.t(f"sketch.{key}") for key in ("save", "walk", "table")}}
    shown, origin = " × ".join(map(str, chart.shape)), words.t(f"{page}.source_{source}")
    note = f"{shown} · {origin}" if chart.values.size else origin
    sketching.sketch(chart.bytes(numbers, words=said, note=note, file=f"{page}-{called}"), f"chart.{name}")


def table(
    columns: Mapping[str, Any],
    name: str,
    source: str,
    whole: Mapping[str, Any] | None = None,
    *,
    rows: int = ROWS,
    wide: Mapping[str, int] | None = None,
) -> None:
    """Show numbers as a table, with their source, to take along; `whole` are more than the table shows.

    One of more than so many `rows` scrolls; one that is too wide scrolls past its first column, if that is narrow
    enough to leave room on a phone. `wide` are columns of words with their widths in pixels.
    """
    height: Any = "content" if len(next(iter(columns.values()))) <= rows else HIGH
    looks = {title: st.column_config.Column(width=width) for title, width in (wide or {}).items()}
    first = next(iter(columns))
    if max(len(str(cell)) for cell in columns[first]) <= NARROW:
        looks[first] = st.column_config.Column(pinned=True)
    st.dataframe(dict(columns), hide_index=True, height=height, key=f"table.{name}", column_config=looks)
    under(name, source, whole or columns)


def under(name: str, source: str, numbers: Mapping[str, Any], shown: str = "", *, picture: bool = False) -> None:
    """Show where a formula comes from, and a button for the numbers, which are written when it is pressed; of a chart
    one for its picture as well."""
    page, _, figure = name.partition(".")
    said = words.t(f"{page}.source_{source}")
    with st.container(key=f"under-{figure}", horizontal=True, gap="medium", vertical_alignment="center"):
        words.plain(f"{shown} · {said}" if shown else said, "note", f"source-{figure}")
        if picture:
            keeping.picture(name)
        st.download_button(
            words.t(f"{page}.csv"),
            partial(_bytes, numbers),
            f"{page}-{figure}.csv",
            "text/csv",
            key=f"csv.{name}",
            type="tertiary",
            on_click="ignore",
        )


def _bytes(numbers: Mapping[str, Any]) -> bytes:
    return sheet(numbers).encode()
