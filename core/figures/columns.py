"""Upright bars in Plotly: several numbers per token, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.curves import Values
from core.figures.drawing import COLOURS, chart, named, places, tokens
from core.figures.labels import literal

GAP = 0.15


def grouped_bars(labels: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str]) -> go.Figure:
    """Draw several bars per token, side by side. `words` has `title`, `x` and `y`; equal tokens stay apart."""
    traces = [_bars(places(labels), name, values, number) for number, (name, values) in enumerate(series.items())]
    axes = {"xaxis": {**named(words["x"]), **tokens(labels), "side": "bottom"}, "yaxis": named(words["y"])}
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    return chart(traces, words["title"], 340, legend=legend, bargap=GAP, **axes)


def _bars(names: list[str], name: str, values: Values, number: int) -> dict[str, Any]:
    heights = np.asarray(values, dtype=np.float64)
    return {"type": "bar", "x": names, "y": heights, "name": literal(name), "marker": {"color": COLOURS[number]}}
