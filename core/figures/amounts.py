"""Amounts in Plotly, drawn to scale: bars that lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.figures.curves import Values
from core.figures.drawing import COLOURS, chart, named
from core.figures.labels import literal

LEGEND = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}


def lying_bars(
    names: Sequence[str],
    series: Mapping[str, Values],
    words: Mapping[str, str],
    *,
    most: float | None = None,
) -> go.Figure:
    """Draw one lying bar per name, its parts one after another, the first name on top; the axis ends at `most`.

    `words` has `title` and `x`.
    """
    traces, down = lying(names, series)
    axes = {"xaxis": {**named(words["x"]), "range": None if most is None else [0, most]}, "yaxis": down}
    high = int(min(640, 130 + max(15, 34 - len(names)) * len(names)))
    return chart(traces, words["title"], high, barmode="stack", bargap=0.2, legend=LEGEND, **axes)


def lying(names: Sequence[str], series: Mapping[str, Values]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the traces of lying bars, one for each name and series, and the axis of names, the first on top."""
    places = list(range(len(names)))
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "x": [float(value) for value in values],
            "y": places,
            "name": literal(name),
            "marker": {"color": COLOURS[number % len(COLOURS)]},
        }
        for number, (name, values) in enumerate(series.items())
    ]
    ticks = {"tickmode": "array", "tickvals": places, "ticktext": [literal(name) for name in names]}
    return traces, {**ticks, "range": [len(names) - 0.5, -0.5], "automargin": True, "showgrid": False}
