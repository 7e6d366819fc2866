"""Why the parts are there: short runs with one part taken away, and what became of the loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import words
from pages.plumbing.translate import about, draw, saved
from pages.plumbing.translate.saved import Story

WHOLE = "short"


def show(_: str) -> None:
    """Show the curves of all runs, what they say, and how to run them again."""
    runs = saved.runs()
    if runs:
        _curves(runs)
        _table(runs)
        _said(runs)
    else:
        words.plain(words.t("translate.no_runs"), "refused", "runs")
    about.sizes()


def _curves(runs: tuple[Story, ...]) -> None:
    steps = max((run.loss[0] for run in runs), key=len)
    series = {_name(run): run.loss[1] for run in runs}
    said = draw.say("title_parts", {"x": "trained", "y": "loss"})
    draw.figure(
        core.figures.curves(steps, series, said),
        "parts",
        {words.t("translate.trained"): steps, **series},
        draw.TRAINING,
    )


def _said(runs: tuple[Story, ...]) -> None:
    """Show of each run its map between both languages, and say what its curve shows, and no more."""
    whole = next((run for run in runs if run.name == WHOLE), runs[0])
    for run in runs:
        left, right = st.columns([2, 3], gap="large")
        with left:
            _ended(run, whole)
        with right:
            _map(run)


def _ended(run: Story, whole: Story) -> None:
    last, step = run.loss[1][-1], run.loss[0][-1]
    values = {"step": f"{step:,}", "loss": f"{last:.2f}", "whole": f"{_at(whole, step):.2f}"}
    words.plain(_name(run), "title", run.name)
    words.plain(words.t("translate.ended" if run is whole else "translate.ends", **values), "line", f"ends-{run.name}")
    if f"translate.part_{run.name}_note" in core.words.catalogue("en"):
        words.plain(words.t(f"translate.part_{run.name}_note"), "line", f"note-{run.name}")
    famous = run.find("measured", "famous")
    if famous:
        words.plain(famous[0] or words.t("translate.nothing"), "line", f"famous-{run.name}")


def _map(run: Story) -> None:
    """Show what the decoder looked at in the source, if it was written down: the mean of the heads of its last
    layer."""
    told = run.find("measured", "maps")
    if told is None:
        return
    cells = np.asarray(told["cross"][-1], dtype=np.float32).mean(axis=0)
    said = draw.say("title_cross", {"query": "looks", "key": "looked", "share": "share"})
    chart = core.figures.heatmap(cells, told["written"], told["read"], said)
    numbers = draw.grid(told["written"], told["read"], cells)
    draw.figure(chart, f"cross-{run.name}", numbers, draw.TRAINING)
    shares = {"share": f"{cells.max():.3f}", "even": f"{1 / cells.shape[1]:.3f}"}
    words.plain(words.t("translate.largest", **shares), "note", f"largest-{run.name}")


def _at(run: Story, step: int) -> float:
    """Return the loss of a run at a step, or where it ended."""
    steps, losses = run.loss
    return next((loss for at, loss in zip(steps, losses, strict=True) if at >= step), losses[-1])


def _table(runs: tuple[Story, ...]) -> None:
    rows: dict[str, list[Any]] = {
        "run": [_name(run) for run in runs],
        "last_loss": [f"{run.loss[1][-1]:.2f}" for run in runs],
        "exact": [about.share(run.find("measured", "held_out", "pair", "exact")) for run in runs],
        "command": [run.command for run in runs],
    }
    named = {words.t(f"translate.{key}"): values for key, values in rows.items()}
    st.dataframe(named, hide_index=True, height="content", key="translate.runs")


def _name(run: Story) -> str:
    key = f"translate.part_{run.name}"
    return words.t(key) if key in core.words.catalogue("en") else run.name
