"""What every chart is made of: one dictionary of traces and layout, and axes whose labels never touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.figures.labels import literal, short

MARGINS = {"l": 8, "r": 8, "t": 72, "b": 8, "pad": 0}
MASKED = "rgb(205, 202, 194)"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#6A6A76", "#332288")
Axis = dict[str, Any]


def chart(traces: Iterable[Mapping[str, Any]], title: str, height: int, **layout: Any) -> go.Figure:
    """Return a figure with its title.

    It is given to Plotly as a whole: checking every property on its way in costs ten times as much.
    """
    said = {"text": literal(title), "font": {"size": 15}, "y": 1, "yanchor": "top", "pad": {"t": 12}}
    around = {"title": said, "margin": MARGINS, "height": height, **layout}
    return go.Figure({"data": [dict(trace) for trace in traces], "layout": around})


def named(axis: str) -> Axis:
    """Return an axis with its name, as wide as its labels need."""
    return {"title": {"text": literal(axis)}, "automargin": True}


def tokens(labels: Sequence[str]) -> Axis:
    """Return an axis of tokens: as many labels as there is room for, at a steady step."""
    return {"type": "category", "categoryarray": places(labels), "automargin": True}


def places(labels: Sequence[str]) -> list[str]:
    """Return one name per place, no two alike: its number and its label, where that is not the same."""
    named = ((str(number), label) for number, label in enumerate(labels))
    return [number if label == number else f"{number} {literal(short(label))}" for number, label in named]


def scale(name: str) -> dict[str, Any]:
    """Return the bar that says what colours mean."""
    return {"title": {"text": literal(name)}, "thickness": 12, "outlinewidth": 0}
