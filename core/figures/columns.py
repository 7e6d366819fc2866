"""Upright bars in Plotly: one number per dimension, or two shares per token side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.charts import framed
from core.figures.curves import Values
from core.figures.drawing import COLOURS, chart, named, places, tokens
from core.figures.labels import literal

BELOW, ABOVE = "#1A4780", "#D9722B"
TWO = ((0, BELOW), (1, ABOVE))
GAP = 0.15


def signed_bars(values: Values, words: Mapping[str, str], *, marked: slice | None = None) -> go.Figure:
    """Draw one bar per dimension, blue below zero and orange above; a frame around the `marked` ones.

    `words` has `title`, `x` and `y`.
    """
    heights = np.asarray(values, dtype=np.float64)
    colours = {"color": (heights >= 0).astype(np.uint8), "colorscale": TWO, "cmin": 0, "cmax": 1}
    trace = {"type": "bar", "x": np.arange(len(heights)), "y": heights, "marker": {**colours, "line": {"width": 0}}}
    frame = framed(marked.start, marked.stop - 1) if marked else []
    axes = {"xaxis": {**named(words["x"]), "range": [-0.5, len(heights) - 0.5]}, "yaxis": named(words["y"])}
    return chart([trace], words["title"], 260, bargap=GAP if len(heights) < 200 else 0, shapes=frame, **axes)


def grouped_bars(labels: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str]) -> go.Figure:
    """Draw several bars per token, side by side. `words` has `title`, `x` and `y`; equal tokens stay apart."""
    traces = [_bars(places(labels), name, values, number) for number, (name, values) in enumerate(series.items())]
    axes = {"xaxis": {**named(words["x"]), **tokens(labels), "side": "bottom"}, "yaxis": named(words["y"])}
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    return chart(traces, words["title"], 340, legend=legend, bargap=GAP, **axes)


def _bars(names: list[str], name: str, values: Values, number: int) -> dict[str, Any]:
    heights = np.asarray(values, dtype=np.float64)
    return {"type": "bar", "x": names, "y": heights, "name": literal(name), "marker": {"color": COLOURS[number]}}
