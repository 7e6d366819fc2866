"""Measured curves in Plotly: medians with their quartiles over two logarithmic axes, others beside them, and what could
not be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from core.figures.drawing import COLOURS
from core.figures.labels import literal
from core.figures.scaling import Line, scaling


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One measured curve: its `middle` at each x, from `low` to `high`; `beside` is the same from elsewhere, and `lost`
    are places of x with what was expected there, where nothing could be measured."""

    x: Sequence[int]
    middle: Sequence[int | float]
    low: Sequence[int | float] = ()
    high: Sequence[int | float] = ()
    beside: Line = ((), ())
    lost: Line = ((), ())


def sweeps(
    curves: Mapping[str, Curve],
    words: Mapping[str, str],
    *,
    marks: Mapping[str, int | float] | None = None,
    height: int = 500,
) -> go.Figure:
    """Draw measured curves over two logarithmic axes.

    `words` has `title`, `x`, `y`, `beside` and `lost`. `marks` are places of x with their names. Curves beside are
    dotted, in the colour of their own; what was lost is an open cross where it was expected.
    """
    lines = {name: (curve.x, curve.middle) for name, curve in curves.items()}
    shown = scaling(lines, words, marks=marks, height=height)
    for number, curve in enumerate(curves.values()):
        shown.data[number].update(**_spread(curve, _colour(number)))
    for number, (name, curve) in enumerate(curves.items()):
        shown.add_traces([go.Scatter(one) for one in _others(name, curve, words, _colour(number))])
    return shown


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _spread(curve: Curve, colour: str) -> dict[str, Any]:
    look = {"mode": "lines+markers", "marker": {"size": 6, "color": colour}}
    if not curve.low:
        return look
    above = [top - middle for top, middle in zip(curve.high, curve.middle, strict=True)]
    below = [middle - low for low, middle in zip(curve.low, curve.middle, strict=True)]
    bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.2, "width": 3}
    return {**look, "error_y": bars}


def _others(name: str, curve: Curve, words: Mapping[str, str], colour: str) -> list[dict[str, Any]]:
    found = []
    if len(curve.beside[0]):
        line = {"width": 1.5, "color": colour, "dash": "dot"}
        found.append(_trace(f"{name}, {words['beside']}", curve.beside, mode="lines", line=line))
    if len(curve.lost[0]):
        marker = {"symbol": "x-open", "size": 10, "color": colour, "line": {"width": 2}}
        found.append(_trace(f"{name}, {words['lost']}", curve.lost, mode="markers", marker=marker))
    return found


def _trace(name: str, over: Line, **look: Any) -> dict[str, Any]:
    x, y = over
    return {"type": "scatter", "x": list(x), "y": list(y), "name": literal(name), "showlegend": False, **look}
