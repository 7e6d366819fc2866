"""Charts in Plotly: numbers, labels and words in, a figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.figures.labels import literal, short, thinned
from core.figures.palettes import PALETTES

MARGINS = {"l": 8, "r": 8, "t": 72, "b": 8, "pad": 0}
MASKED = "rgb(205, 202, 194)"
Rule = Sequence[tuple[int, int]] | None


def heatmap(
    matrix: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    words: Mapping[str, str],
    *,
    palette: str = "ink",
    top: float | None = 1.0,
    rule: Rule = None,
) -> go.Figure:
    """Draw one map: queries down from row 0 on top, keys across.

    `words` has `title`, `query`, `key` and `share`; `top` is the share with the strongest colour (None: the map's own
    maximum); `rule` says from which to which column each row may look, and the rest is drawn as masked, not as zero.
    Places are numbered, so that repeated labels stay apart; labels are thinned at a steady step beyond 64.
    """
    hover = "<br>".join((f"{literal(words['query'])}: %{{y}}", f"{literal(words['key'])}: %{{x}}", "%{z:.4f}"))
    trace = go.Heatmap(
        z=_without_masked(matrix, rule),
        x=_names(columns),
        y=_names(rows),
        zmin=0.0,
        zmax=float(matrix.max()) if top is None else top,
        colorscale=PALETTES[palette],
        hovertemplate=f"{hover}<extra></extra>",
        hoverongaps=False,
        colorbar={"title": literal(words["share"]), "thickness": 12, "outlinewidth": 0},
    )
    figure = go.Figure(trace)
    title = {"text": literal(words["title"]), "font": {"size": 15}, "y": 1, "yanchor": "top", "pad": {"t": 12}}
    figure.update_layout(title=title, margin=MARGINS, height=_height(len(rows)), plot_bgcolor=MASKED)
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
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": drawn,
        "ticktext": [literal(short(labels[place])) for place in drawn],
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "constrain": "domain",
    }


def _names(labels: Sequence[str]) -> list[str]:
    """Return one name per place, no two alike: its number and its label."""
    return [f"{number} {literal(label)}" for number, label in enumerate(labels)]


def _without_masked(matrix: NDArray[np.float32], rule: Rule) -> NDArray[np.float32]:
    shares = np.array(matrix, dtype=np.float32)
    for row, (first, last) in enumerate(rule or ()):
        shares[row, :first] = np.nan
        shares[row, last:] = np.nan
    return shares


def _height(rows: int) -> int:
    return int(min(900, max(320, 160 + 22 * rows)))
