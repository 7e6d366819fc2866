"""Amounts in Plotly, drawn to scale: bars that lie, bands that lie on one another, and blocks of memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.curves import Values
from core.figures.drawing import COLOURS, MARGINS, chart, named
from core.figures.labels import literal

FREE = "rgba(138, 138, 146, 0.16)"
KEPT = "rgba(138, 138, 146, 0.55)"
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


def bands(x: Sequence[int], series: Mapping[str, Values], words: Mapping[str, str]) -> go.Figure:
    """Draw amounts over time, one on top of another. `words` has `title`, `x` and `y`."""
    traces = [
        {
            "type": "scatter",
            "x": list(x),
            "y": [float(value) for value in values],
            "name": literal(name),
            "stackgroup": "all",
            "mode": "lines",
            "line": {"width": 0.5, "shape": "hv", "color": COLOURS[number % len(COLOURS)]},
        }
        for number, (name, values) in enumerate(series.items())
    ]
    axes = {"xaxis": named(words["x"]), "yaxis": {**named(words["y"]), "rangemode": "tozero"}}
    around = {"margin": {**MARGINS, "t": 56}, "legend": {"orientation": "h", "y": -0.24}, "hovermode": "x unified"}
    return chart(traces, words["title"], 360, **around, **axes)


def blocks(
    owners: NDArray[Any],
    filled: NDArray[Any],
    told: Sequence[str],
    words: Mapping[str, str],
    *,
    size: int,
    across: int = 16,
    marked: Sequence[int] = (),
) -> go.Figure:
    """Draw blocks of memory, `across` in a row, each as full as it is.

    `owners` says whose each block is: -1 nobody's, -2 kept for whoever comes, else a number that has a colour; `filled`
    how many of its `size` slots are written, `told` what a pointer reads. A frame goes around the `marked` ones.
    `words` has `title`.
    """
    rows = -(-len(owners) // across)
    shapes = [_block(number, across, FREE, 1.0) for number in range(len(owners))]
    for number, (owner, count) in enumerate(zip(owners.tolist(), filled.tolist(), strict=True)):
        if owner != -1 and count:
            shapes.append(_block(number, across, KEPT if owner < 0 else _colour(owner), count / size))
    shapes += [_block(number, across, None, 1.0) for number in marked]
    places = [(number % across, number // across) for number in range(len(owners))]
    trace = {
        "type": "scatter",
        "x": [x + 0.5 for x, _ in places],
        "y": [y + 0.5 for _, y in places],
        "mode": "markers+text",
        "marker": {"size": 26, "opacity": 0},
        "text": [str(number) for number in range(len(owners))],
        "textfont": {
            "size": 10,
            "color": [_ink(int(one[0]), int(one[1]), size) for one in zip(owners, filled, strict=True)],
        },
        "hovertext": [literal(text) for text in told],
        "hoverinfo": "text",
    }
    plain = {"visible": False, "fixedrange": True}
    axes = {"xaxis": {**plain, "range": [0, across]}, "yaxis": {**plain, "range": [rows, 0]}}
    return chart([trace], words["title"], 70 + 44 * rows, shapes=shapes, showlegend=False, **axes)


def _colour(owner: int) -> str:
    return COLOURS[int(owner) % len(COLOURS)]


def _ink(owner: int, count: int, size: int) -> str:
    """Return the colour of a block's number: white where it stands on a colour."""
    return "#FFFFFF" if owner >= 0 and 2 * count > size else "#8A8A92"


def _block(number: int, across: int, colour: str | None, full: float) -> dict[str, Any]:
    left, top = number % across + 0.05, number // across + 0.08
    edges = {"x0": left, "x1": left + 0.9 * full, "y0": top, "y1": top + 0.84}
    if colour is None:
        return {"type": "rect", **edges, "line": {"width": 2.5, "color": COLOURS[1]}}
    return {"type": "rect", **edges, "fillcolor": colour, "line": {"width": 0}, "layer": "below"}


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
