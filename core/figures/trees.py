"""Trees in Plotly: what follows what, from left to right, each node with its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from core.figures.drawing import COLOURS, MARGINS, chart, named
from core.figures.labels import literal, short

PALE, STRONG = "#8A8A92", COLOURS[1]
WEAK = (PALE, "#BDBDC4", COLOURS[2], COLOURS[0])
LONGEST = 14


def tree(
    parents: Sequence[int | None],
    labels: Sequence[str],
    told: Sequence[str],
    words: Mapping[str, str],
    *,
    kinds: Mapping[str, Sequence[int]],
    strong: str = "",
    longest: int = LONGEST,
) -> go.Figure:
    """Draw a tree whose nodes come after their parents (None: they begin it).

    `told` is what a pointer reads at each node; `kinds` sorts the nodes under the names that the legend has, of which
    `strong` is drawn in colour, with its edges. `words` has `title` and `x`.
    """
    across, down = _depths(parents), _rows(parents)
    winners = set(kinds.get(strong, ()))
    pale, bold = _edges(parents, across, down, winners)
    traces = [_lines(pale, PALE, 1), _lines(bold, STRONG, 2.5)]
    for number, (name, nodes) in enumerate(kinds.items()):
        colour = STRONG if name == strong else WEAK[number % len(WEAK)]
        text = [literal(short(labels[node], longest)) for node in nodes]
        hover = [literal(told[node]) for node in nodes]
        place = {"x": [across[node] for node in nodes], "y": [down[node] for node in nodes]}
        marks = {"mode": "markers+text", "text": text, "hovertext": hover, "hoverinfo": "text", "name": literal(name)}
        look = {
            "textposition": "top center" if longest == LONGEST else "top right",
            "marker": {"size": 9, "color": colour},
            "cliponaxis": False,
        }
        traces.append({"type": "scatter", **place, **marks, **look})
    unseen = {"visible": False, "range": [max(down, default=0) + 0.6, -0.9]}
    reach = [-0.3, max(across, default=0) + (0.5 if longest == LONGEST else 1.0)]
    plain = {"showgrid": False, "zeroline": False, "dtick": 1, "range": reach}
    axes = {"xaxis": {**named(words["x"]), **plain}, "yaxis": unseen}
    high = int(min(930, max(270, 180 + 30 * (1 + max(down, default=0)))))
    below = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}
    return chart(traces, words["title"], high, margin={**MARGINS, "b": 88}, legend=below, **axes)


def _depths(parents: Sequence[int | None]) -> list[int]:
    found: list[int] = []
    for parent in parents:
        found.append(0 if parent is None else found[parent] + 1)
    return found


def _rows(parents: Sequence[int | None]) -> list[float]:
    """Return a row for each node: a leaf has one of its own, a parent stands at its first child's."""
    children: dict[int | None, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    found, free = [0.0] * len(parents), 0
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        node = waiting.pop()
        found[node] = float(free)
        below = children.get(node, [])
        waiting += reversed(below)
        free += 0 if below else 1
    return found


def _edges(
    parents: Sequence[int | None], across: Sequence[int], down: Sequence[float], strong: set[int]
) -> tuple[list[Any], list[Any]]:
    """Return the points of the pale and of the strong edges, each edge ended by a gap."""
    pale: list[Any] = []
    bold: list[Any] = []
    for node, parent in enumerate(parents):
        if parent is not None:
            line = bold if node in strong and parent in strong else pale
            middle = across[parent] + 0.5
            points = ((across[parent], down[parent]), (middle, down[node]), (across[node], down[node]), (None, None))
            line.extend(points)
    return pale, bold


def _lines(points: Sequence[tuple[Any, Any]], colour: str, width: int | float) -> dict[str, Any]:
    place = {"x": [x for x, _ in points], "y": [y for _, y in points]}
    line = {"color": colour, "width": width}
    return {"type": "scatter", **place, "mode": "lines", "line": line, "hoverinfo": "skip", "showlegend": False}
