"""Curves with what lies around them, points with their names, and maps so small that many stand side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.drawing import COLOURS, MARGINS, MASKED, chart, named, places
from core.figures.labels import literal
from core.figures.palettes import SIGNED

Spread = tuple[Sequence[float], Sequence[float], Sequence[float]]
CLOSE, NEAR = 2.6, 0.1  # how many times as much x, and how much y, two names need between them
LINE = 18  # pixels
TIGHT = {"l": 2, "r": 2, "t": 2, "b": 2, "pad": 0}


def spreads(x: Sequence[int], series: Mapping[str, Spread], words: Mapping[str, str]) -> go.Figure:
    """Draw curves with a bar at each place from the lowest to the highest; every series is its mean, lowest and
    highest, and each ends where its numbers end.

    `words` has `title`, `x` and `y`.
    """
    traces = [_spread(x, name, one, number) for number, (name, one) in enumerate(series.items())]
    axes = {"xaxis": {**named(words["x"]), "tickvals": list(x)}, "yaxis": {**named(words["y"]), "range": [-0.03, 1.03]}}
    around = {"margin": {**MARGINS, "t": 56}, "legend": {"orientation": "h", "y": -0.2}, "hovermode": "x unified"}
    return chart(traces, words["title"], 440, **around, **axes)


def dots(points: Mapping[str, tuple[float, float]], words: Mapping[str, str]) -> go.Figure:
    """Draw named points over a logarithmic axis, each a pair of x and a share from 0 to 1.

    `words` has `title`, `x` and `y`.
    """
    steps = _steps(points)
    traces = [
        {
            "type": "scatter",
            "x": [x],
            "y": [y],
            "mode": "markers",
            "marker": {"size": 10, "color": COLOURS[number % len(COLOURS)]},
            "name": literal(name),
            "cliponaxis": False,
        }
        for number, (name, (x, y)) in enumerate(points.items())
    ]
    notes = [_note(name, x, y, steps[name]) for name, (x, y) in points.items()]
    across = {**named(words["x"]), "type": "log", "dtick": "D2", "exponentformat": "SI"}
    axes = {"xaxis": across, "yaxis": {**named(words["y"]), "range": [-0.16, 1.3], "dtick": 0.5}, "annotations": notes}
    return chart(traces, words["title"], 320, margin={**MARGINS, "t": 56, "r": 40}, showlegend=False, **axes)


def _steps(points: Mapping[str, tuple[float, float]]) -> dict[str, int]:
    """Return how many lines away from its point each name stands: the fewest that no close point before it has."""
    steps: dict[str, int] = {}
    for name in sorted(points, key=lambda one: points[one]):
        x, y = points[name]
        close = {steps[one] for one in steps if x < CLOSE * points[one][0] and abs(y - points[one][1]) < NEAR}
        steps[name] = min(set(range(len(points))) - close)
    return steps


def _note(name: str, x: float, y: float, step: int) -> dict[str, Any]:
    """Return a name above its point, on a thin line."""
    away = -LINE * (1 + step)
    line = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": COLOURS[7], "standoff": 6}
    return {"text": literal(name), "x": log10(x), "y": y, "ax": 0, "ay": away, **line}


def small_map(cells: NDArray[np.float32], labels: Sequence[str], words: Mapping[str, str]) -> go.Figure:
    """Draw a square map of numbers between -1 and 1 without names at its edges: blue below zero, orange above, row 0 on
    top; cells that are not a number are drawn as masked.

    `words` has `rows` and `columns`.
    """
    hover = f"{literal(words['rows'])} %{{y}}<br>{literal(words['columns'])} %{{x}}<br>%{{z:.3f}}<extra></extra>"
    trace = {
        "type": "heatmap",
        "z": np.ascontiguousarray(cells, dtype=np.float32),
        "x": places(labels),
        "y": places(labels),
        "zmin": -1.0,
        "zmax": 1.0,
        "colorscale": SIGNED,
        "showscale": False,
        "hovertemplate": hover,
        "hoverongaps": False,
    }
    plain = {"visible": False, "fixedrange": True, "constrain": "domain"}
    axes = {"xaxis": plain, "yaxis": {**plain, "autorange": "reversed", "scaleanchor": "x"}}
    return go.Figure({"data": [trace], "layout": {"margin": TIGHT, "height": 190, "plot_bgcolor": MASKED, **axes}})


def _spread(x: Sequence[int], name: str, one: Spread, number: int) -> dict[str, Any]:
    mean, lowest, highest = one
    colour = COLOURS[number % len(COLOURS)]
    above = [top - middle for top, middle in zip(highest, mean, strict=True)]
    below = [middle - low for low, middle in zip(lowest, mean, strict=True)]
    bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.2, "width": 3}
    line = {"width": 2, "color": colour}
    place = {"x": list(x[: len(mean)]), "y": list(mean)}
    look = {"mode": "lines+markers", "line": line, "marker": {"size": 5, "color": colour}, "error_y": bars}
    return {"type": "scatter", **place, "name": literal(name), **look}
