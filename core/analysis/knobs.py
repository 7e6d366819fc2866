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
class Seen:
    """One head of one run: its pattern, what is left at the end [position, width], and the root mean square of the
    stream from what enters layer 0 to what leaves the last."""

    pattern: Numbers
    final: Numbers
    signal: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Leak:
    """The key that gets the most from queries before it: its place, and its mean share there."""

    key: int
    share: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Turned:
    """One head before and after a change.

    `evenness` (before, after) is the mean entropy of a row over the largest possible one, 0 for all on one key and 1
    for equal shares; `ahead` is the mean share that goes to later positions; `leak` the key that gets most of what goes
    ahead only after the change, None where nothing does; `moved` how much of each row's share changed hands on average
    (half the sum of absolute differences); `final` the relative change of the last hidden state; `signal` (before,
    after) the size of the stream.
    """

    before: Numbers
    after: Numbers
    evenness: tuple[float, float]
    ahead: tuple[float, float]
    leak: Leak | None
    moved: float
    final: float
    signal: tuple[tuple[float, ...], tuple[float, ...]]


def seen(trace: Trace, choice: Choice) -> Seen:
    """Return one head of a run (the first of the choice)."""
    pattern = trace.pattern(choice.layer or 0, (choice.heads or (0,))[0], choice.side)
    return Seen(pattern=pattern, final=trace.final, signal=_signal(trace, choice.side))


def compared(before: Seen, after: Seen) -> Turned:
    """Compare the same head of the same text in two runs."""
    ahead = _ahead(before.pattern), _ahead(after.pattern)
    difference = np.abs(after.final - before.final).max() / max(1e-30, float(np.abs(before.final).max()))
    return Turned(
        before=before.pattern,
        after=after.pattern,
        evenness=(evenness(before.pattern), evenness(after.pattern)),
        ahead=ahead,
        leak=_leak(after.pattern) if ahead[0] == 0 < ahead[1] else None,
        moved=float(np.abs(after.pattern - before.pattern).sum(-1).mean() / 2),
        final=float(difference),
        signal=(before.signal, after.signal),
    )


def turned(original: Trace, choice: Choice, changes: tuple[Change, ...]) -> Turned:
    """Run the text again with changes and compare one head."""
    again = trace(original.model, original.sample, changes)
    return compared(seen(original, choice), seen(again, choice))


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


def _leak(pattern: Numbers) -> Leak:
    """Find the column right of the diagonal with the most in it, and its mean over the queries before it."""
    later = np.triu(pattern, 1)
    key = int(later.sum(0).argmax())
    return Leak(key=key, share=float(later[:key, key].mean()))
