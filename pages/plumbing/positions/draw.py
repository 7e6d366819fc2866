"""A figure of the Positions page: the chart, where its formula comes from, and exactly its numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import streamlit as st

from pages.plumbing import words


def figure(chart: Any, name: str, source: str, sheet: str) -> None:
    """Show a chart, the message that names its source, and its numbers to take along."""
    st.plotly_chart(chart, key=f"chart.positions.{name}")
    with st.container(key=f"under-{name}", horizontal=True, gap="medium", vertical_alignment="center"):
        words.plain(words.t(f"positions.source_{source}"), "note", f"source-{name}")
        st.download_button(
            words.t("positions.csv"),
            sheet,
            f"positions-{name}.csv",
            "text/csv",
            key=f"csv.positions.{name}",
            type="tertiary",
            on_click="ignore",
        )


def grid(cells: Any, rows: Sequence[object], columns: Sequence[object]) -> str:
    """Write a map as CSV; nine digits give every float32 back exactly, and what is masked stays empty."""
    return _written([["", *columns], *([row, *map(_spelled, values)] for row, values in zip(rows, cells, strict=True))])


def table(columns: Mapping[str, Any]) -> str:
    """Write curves as CSV, one below each name; a curve that ends earlier leaves the rest empty."""
    longest = max(len(values) for values in columns.values())
    rows = ([_spelled(values[n]) if n < len(values) else "" for values in columns.values()] for n in range(longest))
    return _written([[*columns], *rows])


def _written(rows: Sequence[Sequence[object]]) -> str:
    sheet = io.StringIO()
    csv.writer(sheet).writerows(rows)
    return sheet.getvalue()


def _spelled(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    return f"{value:.9g}" if isfinite(value) else ""
