"""What the browser is told of a text that is written token by token. Knows no Streamlit."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import core
from pages.plumbing.generate.run import Run

ALL, NOWHERE = 254, 255
SPOKEN = (
    *("before", "after", "coming", "step", "says", "back", "on", "next", "rank", "entropy", "chip", "written"),
    *("forced", "force", "force_label", "was_forced", "drawn", "likeliest", "row", "row_cell", "row_hint"),
)
VALUES = {
    "says": ("step", "steps"),
    "next": ("pieces",),
    "rank": ("rank", "pieces"),
    "entropy": ("bits", "most"),
    "chip": ("step", "token", "probability"),
    "force_label": ("token",),
    "drawn": ("chance",),
    "row": ("token",),
    "row_cell": ("layer", "head", "token", "share"),
}


def names(trace: core.Trace, idents: tuple[int, ...]) -> tuple[str, ...]:
    """Ask how tokens are called, each on its own: next to another one half a character would look like its other
    half."""
    reader = trace.model.reader
    known = {ident: reader.of_ids([ident]).labels[0] for ident in dict.fromkeys(idents)}
    return tuple(known[ident] for ident in idents)


def axes(trace: core.Trace) -> dict[str, tuple[str, ...]]:
    """Ask for the tokens that writing begins after ("decoder"), and those that it reads ("cross")."""
    sample, begun = trace.sample, max(1, len(trace.model.spec.start))
    if sample.target is None:
        return {"decoder": sample.labels}
    return {"decoder": sample.target.labels[:begun], "cross": sample.labels}


def values(name: str) -> dict[str, str]:
    """Return the values that the browser puts into a message, as they stand there."""
    return {value: f"{{{value}}}" for value in VALUES.get(name, ())}


def told(one: core.Step, run: Run, named: Iterator[str]) -> dict[str, Any]:
    """Return a step, and the ten next best with the names that come next."""
    pairs = zip(one.others, one.other_probabilities, strict=True)
    return {
        "ident": one.ident,
        "rank": one.rank,
        "entropy": one.entropy,
        "chance": one.chance,
        "drawn": not run.wanted.choosing.greedy,
        "others": [{"ident": ident, "label": next(named), "probability": share} for ident, share in pairs],
        **short(one),
    }


def short(one: core.Step) -> dict[str, Any]:
    """Return what a token shows without being chosen."""
    return {"label": one.label, "probability": one.probability, "forced": one.forced}


def row(run: Run, labels: Mapping[str, Sequence[str]], side: str, number: int) -> dict[str, Any] | None:
    """Return the row that a step added to the map of every head of a side; None where rows were not kept.

    A cell is its share in 254ths, 255 where a head has none: its layer has let the token go, or has no softmax.
    """
    step = run.steps[number]
    if step.rows is None or side not in step.rows:
        return None
    tokens = (*labels["decoder"], *(one.label for one in run.steps[:number]))
    shares = step.rows[side][:, :, -1]
    cells = np.where(np.isnan(shares), NOWHERE, np.rint(ALL * np.nan_to_num(shares))).astype(np.uint8)
    return {
        "step": number,
        "token": tokens[-1],
        "layers": shares.shape[0],
        "heads": shares.shape[1],
        "keys": list(labels["cross"] if side == "cross" else tokens),
        "cells": b64encode(cells.tobytes()).decode(),
    }
