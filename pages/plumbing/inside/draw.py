"""What the sections of the Inside page draw: steps with their formulas, curves, and maps between tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.pointing import Labels
from pages.plumbing.sheets import grid, measured, numbered

say = partial(fields.say, "inside")


def spread(*, even: bool = False) -> Any:
    """Return the two columns of a step: what it says, and its numbers."""
    return st.columns([1, 1] if even else [2, 3], gap="large")


def step(name: str, *notes: str, **values: Any) -> None:
    """Show one step of a sum: what it is, its formula with the numbers put in, its number in words, and notes."""
    told = {key: measured(value) if isinstance(value, float) else value for key, value in values.items()}
    with st.container(key=f"step-{name}"):
        words.letters(words.t(f"inside.step_{name}"))
        st.latex(words.t(f"inside.formula_{name}", **told))
        for line in (words.t(f"inside.told_{name}", **told), *notes):
            words.letters(line)


def proof(error: float, key: str = "proof") -> str:
    """Return how far the run in float32 is from a step, or why that is not known of the run itself."""
    return words.t(f"inside.{key}", error=measured(error))


def bars(values: np.ndarray, name: str, source: str, y: str = "value", marked: slice | None = None) -> None:
    """Show one bar per dimension."""
    chart = core.figures.signed_bars(values, say(f"title_{name}", {"x": "dimension", "y": y}), marked=marked)
    numbers = {words.t("inside.dimension"): list(range(len(values))), words.t("inside.value"): values}
    drawn.figure(chart, f"inside.{name}", source, numbers)


def tokens(cells: np.ndarray, name: str, labels: Labels, *, weighted: bool = False, **drawing: Any) -> None:
    """Show one map between tokens: shares, or how much is moved."""
    axes = {"query": "query", "key": "key", "share": "strength_short" if weighted else "share"}
    top = None if weighted else 1.0
    chart = core.figures.token_map(cells, *labels, say(f"title_{name}", axes), top=top, **drawing)
    drawn.figure(chart, f"inside.{name}", "strength" if weighted else "softmax", {})


def signed(
    cells: np.ndarray, name: str, labels: Sequence[int | str], source: str, axes: Mapping[str, str], **drawing: Any
) -> None:
    """Show one map of numbers of both signs, tokens down and dimensions across."""
    given = {"height": core.figures.high(len(labels)), "top": core.figures.most(cells), **drawing}
    chart = core.figures.signed_map(cells, labels, range(cells.shape[1]), say(f"title_{name}", axes), **given)
    numbers = grid(words.t(f"inside.{axes['rows']}"), numbered(labels), range(cells.shape[1]), cells)
    drawn.figure(chart, f"inside.{name}", source, numbers)


def between(first: str, rows: Sequence[str], columns: Sequence[str], cells: np.ndarray) -> dict[str, Any]:
    """Return a map as columns of numbers, its rows named in the first; no two columns are called alike."""
    return grid(words.t(f"inside.{first}"), numbered(rows), numbered(columns), cells)


def curves(
    name: str, series: Mapping[str, Sequence[float]], source: str, axes: Mapping[str, str], **drawing: Any
) -> None:
    """Show curves over depth, or over whatever `x` names (the numbers 0, 1, 2 ... where none are given)."""
    longest = max(len(values) for values in series.values())
    x = list(drawing.pop("x", range(longest)))
    chart = core.figures.curves(x, series, say(f"title_{name}", axes), **drawing)
    drawn.figure(chart, f"inside.{name}", source, {words.t(f"inside.{axes['x']}"): x, **series})
