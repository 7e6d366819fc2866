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
    `wanted` word, and what the last position takes from each of all in a layer.

    `row` [position] is that of the head which takes most from a single position, its sizes adding up to 1; `how` as in
    `core.analysis.influence`.
    """

    word: str | None
    probability: float
    wanted: float
    head: int
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
    sizes = np.abs(taken.cells[:, -1]).sum(axis=1, keepdims=True)
    rows = taken.cells[:, -1] / np.where(sizes > 0, sizes, 1)
    head = int(np.abs(rows).max(axis=1).argmax())
    return Recall(
        word=named.get(best),
        probability=float(odds[best]),
        wanted=float(odds[symbols[wanted]]),
        head=head,
        row=rows[head],
        how=taken.how,
    )
