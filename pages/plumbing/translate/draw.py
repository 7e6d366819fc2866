"""A figure of the Translate page, and exactly its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.plumbing import words
from pages.plumbing.inside.spelling import sheet
from pages.plumbing.translate import controls


def figure(chart: Any, name: str, numbers: Mapping[str, Any]) -> None:
    """Show a chart, and a button for its numbers."""
    st.plotly_chart(chart, key=f"chart.translate.{name}")
    st.download_button(
        words.t("translate.csv"),
        sheet(numbers),
        f"translate-{name}.csv",
        "text/csv",
        key=f"csv.translate.{name}",
        type="tertiary",
        on_click="ignore",
    )


def say(title: str, axes: Mapping[str, str], **values: Any) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of this page."""
    named = {name: words.t(f"translate.{key}") for name, key in axes.items()}
    return {"title": words.t(f"translate.{title}", **values), **named}


def tokens(labels: Sequence[str], series: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers that belong to tokens, beside these."""
    return {words.t("translate.token"): controls.numbered(labels), **series}


def grid(rows: Sequence[str], columns: Sequence[str], cells: Any) -> dict[str, Any]:
    """Return a map as columns of numbers."""
    named = dict(zip(controls.numbered(columns), cells.T, strict=True))
    return {words.t("translate.token"): controls.numbered(rows), **named}
