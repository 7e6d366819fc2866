"""What grows with what, in Plotly: lines over two logarithmic axes, places that are marked on them, and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

import plotly.graph_objects as go

from core.figures.amounts import lying
from core.figures.curves import Values
from core.figures.drawing import COLOURS, MARGINS, chart, named
from core.figures.labels import literal

Line = tuple[Sequence[int | float], Values]
Number = int | float
Dot = tuple[Number, Number]
GREY = "#8A8A92"


def scaling(
    lines: Mapping[str, Line],
    words: Mapping[str, str],
    *,
    marks: Mapping[str, Number] | None = None,
    dots: Mapping[str, Dot] | None = None,
    levels: Mapping[str, Number] | None = None,
    faint: Sequence[str] = (),
    height: int = 440,
) -> go.Figure:
    """Draw lines of x and y over two logarithmic axes, where a power is straight and its exponent the slope.

    `words` has `title`, `x` and `y`. Each of `marks` is a place of x with its name, drawn as an upright line; `levels`
    are heights with theirs; `dots` are points with their names; lines whose name is in `faint` are dotted.
    """
    traces = [_line(name, line, number, name in faint) for number, (name, line) in enumerate(lines.items())]
    traces += [_dot(name, dot, number) for number, (name, dot) in enumerate((dots or {}).items())]
    axes = {"xaxis": _powers(words["x"]), "yaxis": _powers(words["y"])}
    margin, legend = {**MARGINS, "t": 88}, {"orientation": "h", "y": -80 / (height - 190)}
    shown = chart(traces, words["title"], height, margin=margin, legend=legend, hovermode="closest", **axes)
    for number, (name, place) in enumerate((marks or {}).items()):
        _mark(shown, name, place, number)
    for name, level in (levels or {}).items():
        _level(shown, name, level)
    return shown


def _powers(name: str) -> dict[str, Any]:
    return {**named(name), "type": "log", "dtick": 1, "exponentformat": "power"}


def _line(name: str, line: Line, number: int, faint: bool) -> dict[str, Any]:
    look = {"width": 2, "color": COLOURS[number % len(COLOURS)], "dash": "dot" if faint else "solid"}
    x, y = line
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "name": literal(name), "line": look}


def _dot(name: str, dot: Dot, number: int) -> dict[str, Any]:
    x, y = dot
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x],
        "y": [y],
        "text": [literal(name)],
        "textposition": "bottom right",
        "marker": {"size": 11, "color": COLOURS[(number + 1) % len(COLOURS)], "line": {"width": 1.5, "color": "#FFF"}},
        "name": literal(name),
        "showlegend": False,
        "cliponaxis": False,
    }


def _mark(shown: go.Figure, name: str, place: Number, number: int) -> None:
    """Draw an upright line with its name above the chart, each name on a line of its own."""
    line = {"dash": "dot", "width": 1.5, "color": GREY}
    edges = {"x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "y domain"}
    shown.add_shape(type="line", **edges, line=line)
    above = {"x": log10(place), "y": 1, "yref": "y domain", "yanchor": "bottom", "yshift": 2 + 15 * (number % 2)}
    shown.add_annotation(text=literal(name), showarrow=False, font={"size": 12}, **above)


def _level(shown: go.Figure, name: str, height: Number) -> None:
    """Draw a line across, with its name at its left end."""
    line = {"dash": "dash", "width": 1.5, "color": GREY}
    shown.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=height, y1=height, line=line)
    place = {"x": 0, "xref": "x domain", "xanchor": "left", "xshift": 6, "y": log10(height), "yanchor": "bottom"}
    shown.add_annotation(text=literal(name), showarrow=False, font={"size": 12}, **place)


def beside(names: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str]) -> go.Figure:
    """Draw several lying bars for each name over a logarithmic axis, the first name on top; bars start at its edge.

    `words` has `title` and `x`.
    """
    traces, down = lying(names, series)
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0}
    axes = {"xaxis": _powers(words["x"]), "yaxis": down, "legend": legend}
    return chart(traces, words["title"], 130 + 34 * len(names), barmode="group", bargap=0.25, **axes)
