"""Upright bars in Plotly: one number per dimension, or two shares per token side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from core.figures.curves import COLOURS, MARGINS, Values
from core.figures.labels import literal, short, thinned

BELOW, ABOVE = "#1A4780", "#D9722B"


def signed_bars(values: Values, words: Mapping[str, str]) -> go.Figure:
    """Draw one bar per dimension, blue below zero and orange above. `words` has `title`, `x` and `y`."""
    colours = [BELOW if value < 0 else ABOVE for value in values]
    bars = go.Bar(x=list(range(len(values))), y=[float(value) for value in values], marker={"color": colours})
    figure = _lettered(go.Figure(bars), words, 260)
    figure.update_xaxes(title=literal(words["x"]), range=[-0.5, len(colours) - 0.5])
    return figure


def grouped_bars(labels: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str]) -> go.Figure:
    """Draw several bars per token, side by side. `words` has `title`, `x` and `y`; equal tokens stay apart."""
    names = [f"{number} {literal(label)}" for number, label in enumerate(labels)]
    figure = go.Figure()
    for number, (name, values) in enumerate(series.items()):
        heights = [float(value) for value in values]
        figure.add_bar(x=names, y=heights, name=literal(name), marker={"color": COLOURS[number % len(COLOURS)]})
    drawn = thinned(len(labels))
    ticks = [literal(short(labels[place])) for place in drawn]
    figure.update_xaxes(type="category", tickmode="array", tickvals=drawn, ticktext=ticks, automargin=True)
    return _lettered(figure, words, 340)


def _lettered(figure: go.Figure, words: Mapping[str, str], height: int) -> go.Figure:
    title = {"text": literal(words["title"]), "font": {"size": 15}, "y": 1, "yanchor": "top", "pad": {"t": 12}}
    legend = {"orientation": "h", "y": -0.25}
    figure.update_layout(title=title, margin=MARGINS, height=height, legend=legend, bargap=0.15)
    figure.update_yaxes(title=literal(words["y"]), automargin=True)
    return figure
