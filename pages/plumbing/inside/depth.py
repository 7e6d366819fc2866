"""Depth: the residual stream from the embeddings to the last layer."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from pages.plumbing import doors, words
from pages.plumbing.inside import controls, draw
from pages.plumbing.inside.controls import say


def show(ref: core.TraceRef) -> None:
    """Show how large the stream is, what each layer changes of it, and how far it turns."""
    chosen = controls.side(ref)
    side = "decoder" if chosen == "cross" else chosen
    told = doors.ask(ref, core.analysis.depth.stream, side=side)
    labels = controls.labels(ref, side)[0]
    powers = np.log10(np.maximum(told.sizes, 1e-30))
    for name, drawn, cells in (
        ("sizes", powers, told.sizes),
        ("added", told.added, told.added),
        ("cosines", told.cosines, told.cosines),
    ):
        _map(name, drawn, cells, labels)


def _map(name: str, drawn: Any, cells: Any, labels: tuple[str, ...]) -> None:
    words.plain(words.t(f"inside.told_{name}"), "line", f"told-{name}")
    said = say(f"title_{name}", {"query": "layer", "key": "position", "share": f"unit_{name}"})
    layers = [str(layer) for layer in range(len(cells))]
    chart = core.figures.heatmap(drawn, layers, labels, said, top=None)
    chart.data[0].update(zmin=float(drawn.min()) if name == "sizes" else min(0.0, float(drawn.min())))
    numbers: dict[str, Any] = {words.t("inside.layer"): layers}
    draw.figure(chart, name, "stream", numbers | dict(zip(controls.numbered(labels), cells.T, strict=True)))
