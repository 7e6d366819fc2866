"""Charts in Plotly: numbers, labels and words in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.labels import literal, short, thinned
from core.figures.palettes import PALETTES

MARGINS = {"l": 8, "r": 8, "t": 48, "b": 8}


def heatmap(
    matrix: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    words: Mapping[str, str],
    *,
    palette: str = "ink",
    top: float | None = 1.0,
) -> go.Figure:
    """Draw one map: queries down from row 0 on top, keys across.

    `words` has `title`, `query`, `key` and `share`; `top` is the share with the strongest colour (None: the map's own
    maximum). Axes are numbered, so that repeated labels stay apart; labels are thinned at a steady step beyond 64.
    """
    trace = go.Heatmap(
        z=np.ascontiguousarray(matrix, dtype=np.float32),
        zmin=0.0,
        zmax=float(matrix.max()) if top is None else top,
        colorscale=PALETTES[palette],
        customdata=_pairs(rows, columns),
        hovertemplate=f"{literal(words['query'])}: %{{customdata[0]}}<br>{literal(words['key'])}: %{{customdata[1]}}"
        f"<br>{literal(words['share'])}: %{{z:.4f}}<extra></extra>",
        colorbar={"title": literal(words["share"]), "thickness": 12, "outlinewidth": 0},
    )
    figure = go.Figure(trace)
    figure.update_layout(
        title={"text": literal(words["title"]), "font": {"size": 15}}, margin=MARGINS, height=_height(len(rows))
    )
    figure.update_xaxes(**_axis(columns), side="top", tickangle=-60, title=literal(words["key"]))
    figure.update_yaxes(**_axis(rows), autorange="reversed", title=literal(words["query"]))
    return figure


def bars(shares: Sequence[float], labels: Sequence[str], words: Mapping[str, str]) -> go.Figure:
    """Draw shares as horizontal bars, the first on top. `words` has `title` and `share`."""
    places = list(range(len(shares)))
    figure = go.Figure(go.Bar(x=list(shares), y=places, orientation="h", text=[f"{share:.3f}" for share in shares]))
    figure.update_layout(
        title={"text": literal(words["title"]), "font": {"size": 15}}, margin=MARGINS, height=80 + 28 * len(places)
    )
    figure.update_xaxes(range=[0, 1], title=literal(words["share"]))
    figure.update_yaxes(
        tickmode="array", tickvals=places, ticktext=[literal(short(label)) for label in labels], autorange="reversed"
    )
    return figure


def _axis(labels: Sequence[str]) -> dict[str, object]:
    drawn = thinned(len(labels))
    shown = [literal(short(labels[place])) for place in drawn]
    return {
        "tickmode": "array",
        "tickvals": drawn,
        "ticktext": shown,
        "showgrid": False,
        "zeroline": False,
        "constrain": "domain",
    }


def _pairs(rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.object_]:
    names = [[f"{number} {literal(label)}" for number, label in enumerate(labels)] for labels in (rows, columns)]
    pairs = np.empty((len(rows), len(columns), 2), dtype=object)
    pairs[..., 0] = np.array(names[0], dtype=object)[:, None]
    pairs[..., 1] = np.array(names[1], dtype=object)[None, :]
    return pairs


def _height(rows: int) -> int:
    return int(min(900, max(320, 160 + 22 * rows)))
