"""Curves and signed maps in Plotly: numbers, labels and words in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.charts import framed
from core.figures.drawing import COLOURS, MARGINS, MASKED, chart, named, places, scale
from core.figures.labels import literal
from core.figures.palettes import SIGNED

Numbers = NDArray[np.float32]
Values = Sequence[int | float] | NDArray[Any]
FILL = "rgba(0, 114, 178, 0.18)"
CLOSE = {**MARGINS, "t": 56}


def signed_map(
    cells: Numbers,
    rows: Sequence[int | str],
    columns: Sequence[int | str],
    words: Mapping[str, str],
    *,
    height: int = 460,
    top: float | None = None,
    marked: slice | None = None,
    row: int | None = None,
) -> go.Figure:
    """Draw a map of numbers of both signs [row, column]: blue below zero, orange above, row 0 on top.

    `words` has `title`, `rows`, `columns` and `value`; rows and columns are named by numbers or by tokens. The scale
    is even around zero and ends at `top` (None: the largest cell); cells that are not a number are drawn as masked. A
    frame goes around the `marked` columns, and another around one `row`.
    """
    if top is None:
        top = float(np.nanmax(np.abs(cells))) if np.isfinite(cells).any() else 0.0
    hover = f"{literal(words['rows'])} %{{y}}<br>{literal(words['columns'])} %{{x}}<br>%{{z:.4f}}<extra></extra>"
    trace = {
        "type": "heatmap",
        "z": np.ascontiguousarray(cells, dtype=np.float32),
        "x": _named(columns),
        "y": _named(rows),
        "zmin": -(top or 1.0),
        "zmax": top or 1.0,
        "colorscale": SIGNED,
        "hovertemplate": hover,
        "hoverongaps": False,
        "colorbar": scale(words["value"]),
    }
    plain = {"showgrid": False, "zeroline": False}
    axes = {
        "xaxis": {**named(words["columns"]), **plain, "range": _edges(columns)},
        "yaxis": {**named(words["rows"]), **plain, "range": _edges(rows)[::-1]},
    }
    frames = (framed(marked.start, marked.stop - 1) if marked else []) + _across(row)
    return chart([trace], words["title"], height, margin=CLOSE, plot_bgcolor=MASKED, shapes=frames, **axes)


def high(rows: int) -> int:
    """Return the height that a map of a few rows needs."""
    return min(460, 170 + 26 * rows)


def most(cells: Numbers, share: float = 99.5) -> float:
    """Return the size that all but a few cells stay within, so that those few do not take all the colour."""
    return float(np.nanpercentile(np.abs(cells), share))


def curves(
    x: Sequence[int | float],
    series: Mapping[str, Values],
    words: Mapping[str, str],
    *,
    mark: int | None = None,
    steps: bool = False,
    tall: bool = False,
    reach: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw several curves over the same places; each ends where its numbers end.

    `words` has `title`, `x` and `y`, and `mark` where a place is marked by a line; `steps` draws whole numbers,
    which have nothing between them; `tall` draws y as a logarithm, and `reach` is where y begins and ends (then in
    powers of ten).
    """
    shape = "hvh" if steps else "linear"
    traces = [_line(x, name, values, number, shape) for number, (name, values) in enumerate(series.items())]
    down = {"range": reach} | (_powers(list(series.values())) if tall else {})
    figure = _lettered(traces, words, down)
    if mark is not None:
        dotted: dict[str, Any] = {"dash": "dot", "width": 1.5, "color": "#8A8A92"}
        figure.add_vline(x=mark, line=dotted, annotation={"text": literal(words["mark"]), "font": {"size": 12}})
    return figure


def band(
    x: Sequence[int | float],
    mean: Values,
    lowest: Values,
    highest: Values,
    words: Mapping[str, str],
    *,
    reach: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw a curve and, behind it, everything between its lowest and highest values.

    `words` has `title`, `x`, `y`, `mean` and `between`; `reach` is where the axis of y begins and ends.
    """
    between = {
        "type": "scatter",
        "x": [*x, *reversed(x)],
        "y": [*highest, *reversed(lowest)],
        "fill": "toself",
        "fillcolor": FILL,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "name": literal(words["between"]),
    }
    return _lettered([between, _line(x, words["mean"], mean, 0, "linear")], words, {"range": reach})


def _powers(series: Sequence[Values]) -> dict[str, Any]:
    """Return a logarithmic axis; where all numbers lie within two powers of ten, each of its labels is a whole number
    or a whole fraction, not a digit to be read beside the next power."""
    axis = {"type": "log", "exponentformat": "power"}
    sizes = [size for values in series for size in map(float, values) if 0 < size < np.inf]
    if not sizes or max(sizes) > 100 * min(sizes):
        return axis
    first = int(np.floor(np.log10(min(sizes))))
    steps = [digit * 10.0**power for power in range(first, first + 4) for digit in (1, 2, 5)]
    return {**axis, "tickmode": "array", "tickvals": steps, "ticktext": [f"{step:g}" for step in steps]}


def _line(x: Sequence[int | float], name: str, values: Values, number: int, shape: str) -> dict[str, Any]:
    dash = "solid" if number < len(COLOURS) else "dot"
    line = {"width": 2, "shape": shape, "color": COLOURS[number % len(COLOURS)], "dash": dash}
    here = {"x": list(x[: len(values)]), "y": list(values)}
    return {"type": "scatter", **here, "name": literal(name), "mode": "lines", "line": line}


def _lettered(traces: list[dict[str, Any]], words: Mapping[str, str], down: dict[str, Any]) -> go.Figure:
    axes = {"xaxis": named(words["x"]), "yaxis": {**named(words["y"]), **down}}
    legend = {"orientation": "h", "y": -0.2}
    return chart(traces, words["title"], 380, margin=CLOSE, legend=legend, hovermode="x unified", **axes)


def _across(row: int | None) -> list[dict[str, Any]]:
    if row is None:
        return []
    edges = {"y0": row - 0.5, "y1": row + 0.5, "x0": 0, "x1": 1, "xref": "x domain"}
    return [{"type": "rect", **edges, "line": {"width": 1.5, "color": COLOURS[1]}}]


def _edges(names: Sequence[int | str]) -> list[float]:
    """Return where the first cell begins and the last one ends; tokens stand at 0, 1, 2 ..."""
    numbers = [name for name in names if isinstance(name, int)]
    stands = numbers if len(numbers) == len(names) else list(range(len(names)))
    before, after = (stands[1] - stands[0], stands[-1] - stands[-2]) if len(stands) > 1 else (1, 1)
    return [stands[0] - before / 2, stands[-1] + after / 2]


def _named(names: Sequence[int | str]) -> list[int] | list[str]:
    """Return numbers as they are, and tokens numbered, so that no two are alike."""
    if all(isinstance(name, int) for name in names):
        return [int(name) for name in names]
    return places([str(name) for name in names])
