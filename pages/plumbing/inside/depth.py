"""Depth: the residual stream from the embeddings to the last layer, and the gradient on its way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, pointing, words
from pages.plumbing.inside import draw

flow = core.analysis.flow
AXES = {"query": "layer", "key": "position"}


def show(ref: core.TraceRef) -> None:
    """Show how large the stream is, what each layer and each part of it adds, how far it turns, and the gradient."""
    chosen = pointing.side("inside", ref)
    side = "decoder" if chosen == "cross" else chosen
    told = doors.ask(ref, core.analysis.depth.stream, side=side)
    labels = pointing.labels(ref, side)[0]
    _map("sizes", told.sizes, labels, tall=True)
    _added(ref, side, labels)
    for column, name in zip(st.columns(2, gap="medium"), ("added", "cosines"), strict=True):
        with column:
            _map(name, getattr(told, name), labels)
    _gradient(ref, side, labels)


def _added(ref: core.TraceRef, side: str | None, labels: tuple[str, ...]) -> None:
    st.subheader(words.t("inside.parts"), anchor=False)
    found = doors.ask(ref, flow.sublayers, side=side)
    means = {words.t(f"inside.part_{one.part}"): one.sizes.mean(-1).tolist() for one in found}
    words.plain(words.t("inside.told_parts"), "line", "told-parts")
    draw.curves("parts", means, "stream", {"x": "layer", "y": "added_part"}, tall=True)
    for column, one in zip(st.columns(len(found), gap="medium"), found, strict=True):
        with column:
            _map(f"part_{one.part}", one.sizes, labels, tall=True)


def _gradient(ref: core.TraceRef, side: str | None, labels: tuple[str, ...]) -> None:
    st.subheader(words.t("inside.gradients"), anchor=False)
    words.plain(words.t("inside.told_gradient"), "line", "told-gradient")
    found = doors.ask(ref, flow.gradients, side=side)
    left, right = st.columns(2, gap="medium")
    with left:
        whole = {words.t("inside.gradient"): whole_size(found)}
        draw.curves("gradient_here", whole, "gradient", {"x": "layer", "y": "gradient"}, tall=True)
    with right:
        _map("gradients", found, labels, tall=True)


def whole_size(sizes: np.ndarray) -> list[float]:
    """Return the root mean square over all positions, from those of every position [state, position]."""
    found: list[float] = np.sqrt((sizes.astype(np.float64) ** 2).mean(-1)).tolist()
    return found


def _map(name: str, cells: np.ndarray, labels: tuple[str, ...], *, tall: bool = False) -> None:
    """Draw layers down and tokens across; a tall range of sizes as powers of ten."""
    if f"inside.told_{name}" in core.words.catalogue("en"):
        words.plain(words.t(f"inside.told_{name}"), "line", f"told-{name}")
    shown = np.log10(np.maximum(cells, 1e-6)) if tall else cells
    title = draw.say(f"title_{name}", {**AXES, "share": "unit_power" if tall else f"unit_{name}"})
    layers = [str(layer) for layer in range(len(cells))]
    finite: Any = shown[np.isfinite(shown)]
    bottom, top = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    chart = core.figures.heatmap(shown, layers, labels, title, top=top, bottom=bottom if tall else min(0.0, bottom))
    drawn.figure(chart, f"inside.{name}", "stream", draw.between("layer", layers, labels, cells))
