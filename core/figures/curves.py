"""Curves and signed maps in Plotly: numbers, labels and words in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.labels import literal
from core.figures.palettes import SIGNED

MARGINS = {"l": 8, "r": 8, "t": 56, "b": 8, "pad": 0}
Numbers = NDArray[np.float32]
Values = Sequence[int | float] | NDArray[Any]
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#6A6A76", "#332288")
FILL = "rgba(0, 114, 178, 0.18)"
MASKED = "rgb(205, 202, 194)"


def signed_map(
    cells: Numbers,
    rows: Sequence[int | str],
    columns: Sequence[int | str],
    words: Mapping[str, str],
    *,
    height: int = 460,
    top: float | None = None,
) -> go.Figure:
    """Draw a map of numbers of both signs [row, column]: blue below zero, orange above, row 0 on top.

    `words` has `title`, `rows`, `columns` and `value`; rows and columns are named by numbers or by tokens. The scale
    is even around zero and ends at `top` (None: the largest cell); cells that are not a number are drawn as masked.
    """
    if top is None:
        top = float(np.nanmax(np.abs(cells))) if np.isfinite(cells).any() else 0.0
    hover = f"{literal(words['rows'])} %{{y}}<br>{literal(words['columns'])} %{{x}}<br>%{{z:.4f}}<extra></extra>"
    trace = go.Heatmap(
        z=np.ascontiguousarray(cells, dtype=np.float32),
        x=_named(columns),
        y=_named(rows),
        zmin=-(top or 1.0),
        zmax=top or 1.0,
        colorscale=SIGNED,
        hovertemplate=hover,
        hoverongaps=False,
        colorbar={"title": literal(words["value"]), "thickness": 12, "outlinewidth": 0},
    )
    figure = _titled(go.Figure(trace), words["title"], height)
    figure.update_layout(plot_bgcolor=MASKED)
    plain = {"showgrid": False, "zeroline": False, "automargin": True}
    figure.update_xaxes(title=literal(words["columns"]), range=_edges(columns), **plain)
    figure.update_yaxes(title=literal(words["rows"]), range=_edges(rows)[::-1], **plain)
    return figure


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
) -> go.Figure:
    """Draw several curves over the same places; each ends where its numbers end.

    `words` has `title`, `x` and `y`, and `mark` where a place is marked by a line; `steps` draws whole numbers,
    which have nothing between them; `tall` draws y as a logarithm.
    """
    figure = go.Figure()
    for number, (name, values) in enumerate(series.items()):
        line = {
            "width": 2,
            "shape": "hvh" if steps else "linear",
            "color": COLOURS[number % len(COLOURS)],
            "dash": "solid" if number < len(COLOURS) else "dot",
        }
        figure.add_scatter(x=list(x[: len(values)]), y=list(values), name=literal(name), mode="lines", line=line)
    if mark is not None:
        dotted: dict[str, Any] = {"dash": "dot", "width": 1.5, "color": "#8A8A92"}
        figure.add_vline(x=mark, line=dotted, annotation={"text": literal(words["mark"]), "font": {"size": 12}})
    if tall:
        figure.update_yaxes(type="log", exponentformat="power")
    return _lettered(_titled(figure, words["title"], 380), words)


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
    figure = go.Figure()
    edges = [*highest, *reversed(lowest)]
    around = [*x, *reversed(x)]
    figure.add_scatter(
        x=around,
        y=edges,
        fill="toself",
        fillcolor=FILL,
        line={"width": 0},
        hoverinfo="skip",
        name=literal(words["between"]),
    )
    figure.add_scatter(
        x=list(x), y=list(mean), mode="lines", name=literal(words["mean"]), line={"width": 2, "color": COLOURS[0]}
    )
    figure.update_yaxes(range=reach)
    return _lettered(_titled(figure, words["title"], 380), words)


def _lettered(figure: go.Figure, words: Mapping[str, str]) -> go.Figure:
    figure.update_xaxes(title=literal(words["x"]), automargin=True)
    figure.update_yaxes(title=literal(words["y"]), automargin=True)
    figure.update_layout(legend={"orientation": "h", "y": -0.2}, hovermode="x unified")
    return figure


def _titled(figure: go.Figure, title: str, height: int) -> go.Figure:
    shown = {"text": literal(title), "font": {"size": 15}, "y": 1, "yanchor": "top", "pad": {"t": 12}}
    figure.update_layout(title=shown, margin=MARGINS, height=height)
    return figure


def _edges(names: Sequence[int | str]) -> list[float]:
    """Return where the first cell begins and the last one ends; tokens stand at 0, 1, 2 ..."""
    numbers = [name for name in names if isinstance(name, int)]
    places = numbers if len(numbers) == len(names) else list(range(len(names)))
    before, after = (places[1] - places[0], places[-1] - places[-2]) if len(places) > 1 else (1, 1)
    return [places[0] - before / 2, places[-1] + after / 2]


def _named(names: Sequence[int | str]) -> list[int] | list[str]:
    """Return numbers as they are, and tokens numbered, so that no two are alike."""
    if all(isinstance(name, int) for name in names):
        return [int(name) for name in names]
    return [f"{number} {literal(str(name))}" for number, name in enumerate(names)]
