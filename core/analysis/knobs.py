"""What a knob did: two traces of one text, before and after, in one number each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch

from core.analysis.maps import Numbers, axes
from core.blocks.untrained import drawn
from core.changes import Change
from core.choice import Choice
from core.tracing import Trace, trace

LENGTH = 64


@dataclass(frozen=True, kw_only=True, eq=False)
class Turned:
    """One head before and after a change.

    `evenness` (before, after) is the mean entropy of a row over the largest possible one, 0 for all on one key and 1
    for equal shares; `ahead` is the mean share that goes to later positions; `moved` how much of each row's share
    changed hands on average (half the sum of absolute differences); `final` the relative change of the last hidden
    state; `signal` (before, after) the root mean square of the stream from what enters layer 0 to what leaves the last.
    """

    before: Numbers
    after: Numbers
    evenness: tuple[float, float]
    ahead: tuple[float, float]
    moved: float
    final: float
    signal: tuple[tuple[float, ...], tuple[float, ...]]


def turned(original: Trace, choice: Choice, changes: tuple[Change, ...]) -> Turned:
    """Run the text again with changes and compare one head (the first of the choice)."""
    again = trace(original.model, original.sample, changes)
    layer, head = choice.layer or 0, (choice.heads or (0,))[0]
    before, after = (found.pattern(layer, head, choice.side) for found in (original, again))
    difference = np.abs(again.final - original.final).max() / max(1e-30, float(np.abs(original.final).max()))
    return Turned(
        before=before,
        after=after,
        evenness=(evenness(before), evenness(after)),
        ahead=(_ahead(before), _ahead(after)),
        moved=float(np.abs(after - before).sum(-1).mean() / 2),
        final=float(difference),
        signal=(_signal(original, choice.side), _signal(again, choice.side)),
    )


def labels(original: Trace, side: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of the rows and of the columns of a side's maps."""
    rows, columns = axes(original, side, "pieces", "show")
    return rows.labels, columns.labels


def evenness(pattern: Numbers) -> float:
    """Return the mean entropy of the rows with more than one key to look at, over the largest possible one."""
    shares = pattern.astype(np.float64)
    reach = (shares > 0).sum(-1)
    logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    rows = reach > 1
    if not rows.any():
        return 0.0
    return float((-(shares * logs).sum(-1)[rows] / np.log(reach[rows])).mean())


@dataclass(frozen=True, kw_only=True, eq=False)
class Widths:
    """What head width does to scores of random queries and keys, with and without the scale (Vaswani et al. 2017,
    section 3.2.1, footnote 4): variance of the scores, and evenness of the rows they give."""

    widths: tuple[int, ...]
    variance: tuple[float, ...]
    variance_scaled: tuple[float, ...]
    evenness: tuple[float, ...]
    evenness_scaled: tuple[float, ...]


@cache
def widths(sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256, 512), *, seed: int = 0) -> Widths:
    """Draw unit-variance queries and keys at each head width, and measure."""
    raw, scaled = [], []
    for size in sizes:
        scores = drawn(LENGTH, size, seed=seed) @ drawn(LENGTH, size, seed=seed + 1).T
        raw.append(_measured(scores))
        scaled.append(_measured(scores * size**-0.5))
    return Widths(
        widths=sizes,
        variance=tuple(one[0] for one in raw),
        variance_scaled=tuple(one[0] for one in scaled),
        evenness=tuple(one[1] for one in raw),
        evenness_scaled=tuple(one[1] for one in scaled),
    )


def _measured(scores: torch.Tensor) -> tuple[float, float]:
    return float(scores.var()), evenness(torch.softmax(scores, dim=-1).numpy())


def _signal(found: Trace, side: str | None) -> tuple[float, ...]:
    stack = "decoder" if side == "cross" else side or found.model.sides[-1]
    return tuple(float(state.double().pow(2).mean().sqrt()) for state in found.hiddens[stack])


def _ahead(pattern: Numbers) -> float:
    return float(np.triu(pattern, 1).sum(-1).mean())
