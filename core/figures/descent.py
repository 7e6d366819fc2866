"""Which idea came from which, over the years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.figures.drawing import COLOURS, MARGINS, chart, named
from core.figures.labels import literal

Born = tuple[int, str, str]  # a year, a family and where it was published
ROW, ROOM = 26, 2.2  # pixels for each idea; room for the names of the youngest, in years


def descent(ideas: Mapping[str, Born], links: Sequence[tuple[str, str]], words: Mapping[str, str]) -> go.Figure:
    """Draw ideas in rows, from the year in which each was published, with a line from each to those it came from.

    Years stand side by side, those without an idea left out; families have a colour each. `links` are pairs of an
    older and a younger idea; `words` has `title` and `x`.
    """
    years = sorted({year for year, _, _ in ideas.values()})
    at = {name: (years.index(year), row) for row, (name, (year, _, _)) in enumerate(ideas.items())}
    families = dict.fromkeys(family for _, family, _ in ideas.values())
    traces = [
        _links([(at[one], at[other]) for one, other in links]),
        *(
            _family({name: (*at[name], *born) for name, born in ideas.items() if born[1] == family}, number)
            for number, family in enumerate(families)
        ),
    ]
    across = {"tickvals": list(range(len(years))), "ticktext": [str(year) for year in years]}
    axes = {
        "xaxis": {**named(words["x"]), **across, "range": [-0.4, len(years) - 1 + ROOM], "zeroline": False},
        "yaxis": {"visible": False, "range": [len(ideas) - 0.4, -0.6]},
    }
    legend = {"orientation": "h", "y": -0.12}
    around = {"margin": {**MARGINS, "t": 56}, "legend": legend}
    return chart(traces, words["title"], 130 + ROW * len(ideas), **around, **axes)


def _links(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> dict[str, Any]:
    """Draw all lines as one, broken between them: first down the years, then to the row."""
    points = [
        point for (x, y), (right, down) in pairs for point in ((x, y), (max(x, right - 0.5), down), (right, down))
    ]
    gaps: list[tuple[int | float | None, int | float | None]] = []
    for number, point in enumerate(points):
        gaps += [point] if number % 3 < 2 else [point, (None, None)]
    return {
        "type": "scatter",
        "x": [x for x, _ in gaps],
        "y": [y for _, y in gaps],
        "mode": "lines",
        "line": {"color": "rgba(128, 128, 140, 0.45)", "width": 1.5, "shape": "spline", "smoothing": 0.6},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _family(ideas: Mapping[str, tuple[int, int, int, str, str]], number: int) -> dict[str, Any]:
    papers = [literal(paper) for *_, paper in ideas.values()]
    return {
        "type": "scatter",
        "x": [x for x, *_ in ideas.values()],
        "y": [y for _, y, *_ in ideas.values()],
        "mode": "markers+text",
        "text": [f" {literal(name)}" for name in ideas],
        "textposition": "middle right",
        "customdata": papers,
        "hovertemplate": "%{text}<br>%{customdata}<extra></extra>",
        "marker": {"size": 10, "color": COLOURS[number % len(COLOURS)]},
        "name": literal(next(iter(ideas.values()))[3]),
        "cliponaxis": False,
    }
