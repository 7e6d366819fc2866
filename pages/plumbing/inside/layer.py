"""The rest of the layer: output projection, residual, norm and feed-forward, and how far the fast run was from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import drawn, words
from pages.plumbing.inside import draw
from pages.plumbing.sheets import measured

FORMULAS = {
    "PostNorm": "PostNorm",
    "Convolved": "PostNorm",
    "PreNorm": "PreNorm",
    "InnerNorm": "InnerNorm",
    "Sandwich": "Sandwich",
    "Parallel": "Parallel",
    "SharedNorm": "SharedNorm",
    "NormedStream": "NormedStream",
}


def show(told: Any, query: str) -> None:
    """Show every part of the layer that the query passes, in the order in which they ran."""
    words.plain(words.t("inside.step_stages"), "who", "step-stages")
    left, right = draw.spread()
    with left:
        _formula(told)
        words.plain(words.t("inside.told_stages"), "line", "told-stages")
    with right:
        _stages(told)
    _stream(told, query)
    _errors(told)


def _formula(told: Any) -> None:
    reads = any(stage.part == "cross" for stage in told.stages)
    name = f"{FORMULAS.get(told.wiring, '')}{'_cross' if reads else ''}"
    key = f"inside.wiring_formula_{name}"
    if key in core.words.catalogue("en"):
        st.latex(words.t(key))
    else:
        words.plain(words.t("inside.wiring_none", wiring=told.wiring), "line", "wiring-none")


def _stages(told: Any) -> None:
    numbers = {
        "part": [stage.part for stage in told.stages],
        "kind": [stage.kind for stage in told.stages],
        "shape": [" × ".join(map(str, stage.shape)) for stage in told.stages],
        "size": [measured(float((stage.values**2).mean() ** 0.5)) for stage in told.stages],
        "error": [measured(stage.error) for stage in told.stages],
    }
    shown = {words.t(f"inside.{name}"): values for name, values in numbers.items()}
    whole = {f"{n} {stage.part} ({stage.kind})": stage.values.ravel() for n, stage in enumerate(told.stages)}
    drawn.figure(core.figures.text_table(shown), "inside.stages", "layer", whole)


def _stream(told: Any, query: str) -> None:
    """Draw the query's numbers after every part that is as wide as the stream, each as strong as its own largest."""
    wide = [stage for stage in told.stages if stage.values.shape == told.stages[-1].values.shape]
    cells = np.stack([stage.values / max(float(np.abs(stage.values).max()), 1e-30) for stage in wide])
    said = draw.say("title_stream", {"rows": "part", "columns": "dimension", "value": "of_largest"}, query=query)
    names, dimensions = [stage.part for stage in wide], range(cells.shape[1])
    chart = core.figures.part_map(cells, names, said)
    whole = {f"{n} {stage.part}": stage.values for n, stage in enumerate(wide)}
    drawn.figure(chart, "inside.stream", "layer", {words.t("inside.dimension"): list(dimensions), **whole})


def _errors(told: Any) -> None:
    left, right = draw.spread()
    with left:
        words.plain(words.t("inside.step_errors"), "who", "step-errors")
        words.plain(words.t("inside.told_errors", worst=measured(max(told.errors.values()))), "line", "told-errors")
    names = [words.t(f"inside.error_{name}") for name in told.errors]
    what, error = words.t("inside.what"), words.t("inside.error")
    with right:
        shown = {what: names, error: [measured(value) for value in told.errors.values()]}
        numbers = {what: names, error: np.array([*told.errors.values()], dtype=np.float32)}
        drawn.figure(core.figures.text_table(shown), "inside.errors", "errors", numbers)
