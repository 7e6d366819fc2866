"""What a model answers at the end of a row of symbols, and from where it took the answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.analysis.influence import influence
from core.analysis.maps import Numbers
from core.tracing import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class Recall:
    """An answer: the word whose symbol is the likeliest (None for one that did not come), its probability, that of the
    `wanted` word, and what the last position takes from each of all in a layer, as shares [position] of one row."""

    word: str | None
    probability: float
    wanted: float
    row: Numbers
    how: str


def recalled(trace: Trace, wanted: str, layer: int) -> Recall:
    """Return what stands after the last symbol; `wanted` is one of the words that came.

    Raises:
        CoreError: `out_of_range` for the layer, `influence_budget`.
    """
    (logits,) = trace.logits([len(trace.sample) - 1])
    odds = np.exp(logits - logits.max())
    odds /= odds.sum()
    named = dict(zip(trace.sample.ids.tolist(), trace.sample.labels, strict=True))
    symbols = {word: symbol for symbol, word in list(named.items())[::-1]}
    best, taken = int(odds.argmax()), influence(trace, layer)
    return Recall(
        word=named.get(best),
        probability=float(odds[best]),
        wanted=float(odds[symbols[wanted]]),
        row=taken.shares[-1],
        how=taken.how,
    )
