"""Charts in Plotly: numbers, labels and words in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.drawing import COLOURS, MARGINS, MASKED, chart, named, places, scale, tokens
from core.figures.labels import literal, short
from core.figures.palettes import PALETTES

Rule = Sequence[tuple[int, int]] | None


def heatmap(
    matrix: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    words: Mapping[str, str],
    *,
    palette: str = "ink",
    top: float | None = 1.0,
    bottom: float = 0.0,
    rule: Rule = None,
    mark: int | None = None,
) -> go.Figure:
    """Draw one map: queries down from row 0 on top, keys across, its cells square where there are as many of both.

    `words` has `title`, `query`, `key` and `share`; `top` is the share with the strongest colour (None: the map's own
    maximum) and `bottom` the one with the faintest; `rule` says from which to which column each row may look, and the
    rest is drawn as masked, not as zero; `mark` frames one column. Places are numbered, so that repeated labels stay
    apart.
    """
    cells = without_masked(matrix, rule)
    hover = "<br>".join((f"{literal(words['query'])}: %{{y}}", f"{literal(words['key'])}: %{{x}}", "%{z:.4f}"))
    trace = {
        "type": "heatmap",
        "z": cells,
        "x": places(columns),
        "y": places(rows),
        "zmin": bottom,
        "zmax": float(matrix.max()) if top is None else top,
        "colorscale": PALETTES[palette],
        "hovertemplate": f"{hover}<extra></extra>",
        "hoverongaps": False,
        "colorbar": scale(words["share"]),
    }
    square = {"scaleanchor": "x"} if len(rows) == len(columns) else {}
    across = {**tokens(columns), **_PLAIN, "side": "top", "tickangle": -60}
    down = {**named(words["query"]), **tokens(rows), **_PLAIN, **square, "autorange": "reversed"}
    axes = {"xaxis": across, "yaxis": {**down, "constraintoward": "top"}, "shapes": framed(mark)}
    above = _above(columns)
    margin = {**MARGINS, "t": above, "b": 34}
    behind = {"plot_bgcolor": MASKED} if np.isnan(cells).any() else {}
    around = {"margin": margin, **behind, "annotations": [_below(words["key"])]}
    return chart([trace], words["title"], above + _height(len(rows)), **around, **axes)


def _below(name: str) -> dict[str, Any]:
    """Return the name of the keys, under the map: their labels stand above it."""
    place = {"xref": "x domain", "yref": "y domain", "x": 0.5, "y": 0, "yanchor": "top", "yshift": -6}
    return {"text": literal(name), "showarrow": False, **place}


def framed(first: int | float | None, last: int | float | None = None) -> list[dict[str, Any]]:
    """Return the frame around some neighbouring columns, none where none is named."""
    if first is None:
        return []
    edges = {"x0": first - 0.5, "x1": (first if last is None else last) + 0.5, "y0": 0, "y1": 1, "yref": "y domain"}
    return [{"type": "rect", **edges, "line": {"width": 2, "color": COLOURS[2]}}]


def bars(shares: Sequence[float], labels: Sequence[str], words: Mapping[str, str]) -> go.Figure:
    """Draw shares as horizontal bars, the first on top. `words` has `title` and `share`."""
    rows = list(range(len(shares)))
    spelled = [f"{share:.3f}" for share in shares]
    trace = {"type": "bar", "x": list(shares), "y": rows, "orientation": "h", "text": spelled}
    ticks = [literal(short(label)) for label in labels]
    axes = {
        "xaxis": {"range": [0, 1], "title": {"text": literal(words["share"])}},
        "yaxis": {"tickmode": "array", "tickvals": rows, "ticktext": ticks, "autorange": "reversed"},
    }
    return chart([trace], words["title"], 80 + 28 * len(rows), **axes)


_PLAIN = {"showgrid": False, "zeroline": False, "constrain": "domain"}


def without_masked(matrix: NDArray[np.float32], rule: Rule) -> NDArray[np.float32]:
    """Return a map whose cells are not a number where a row may not look."""
    shares = np.array(matrix, dtype=np.float32)
    for row, (first, last) in enumerate(rule or ()):
        shares[row, :first] = np.nan
        shares[row, last:] = np.nan
    return shares


def _above(columns: Sequence[str]) -> int:
    """Return the room above a map: for its title, and below that for labels as long as these, which stand aslant."""
    longest = max((len(short(name)) for name in places(columns)), default=0)
    return 44 + min(120, 14 + 6 * longest)


def _height(rows: int) -> int:
    return int(min(560, max(240, 60 + 18 * rows)))
