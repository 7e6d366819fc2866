"""Where a sentence is worth opening: the head and the word that look most clearly at something in particular."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.maps import Numbers, axes, heads_between, only
from core.inputs import Sample
from core.tracing import Trace

MOST_WORDS = 24
LEAST = 0.15
ASIDE = ("special", "unknown", "padding")


@dataclass(frozen=True, kw_only=True)
class Striking:
    """A head in which one position (`query`) gives another (`key`) a large share."""

    layer: int
    head: int
    query: int
    key: int
    share: float


@torch.no_grad()
def striking(
    trace: Trace, side: str | None = None, layer: int | None = None, heads: tuple[int, ...] = ()
) -> Striking | None:
    """Return the largest share that a word gives to another one, which is neither a neighbour nor written alike.

    The first position, special and unknown pieces, and what has no letter or digit are left out: many heads rest there.
    Of a long text the last words are asked; `layer` and `heads` narrow the search. None where no share is large.
    """
    sample, (rows, columns) = trace.sample, axes(trace, side, "pieces", "show")
    queries = _ends_of_words(sample)[-MOST_WORDS:]
    far = _far(sample, queries)
    if not far.any():
        return None
    asked = only(rows, queries)
    best = None
    for number, attention in trace.looking(side).items():
        if layer in (None, number):
            found = _largest(heads_between(attention, asked, columns, "show"), far, heads)
            if best is None or found[0] > best[0]:
                best = (*found, number)
    if best is None or best[0] < LEAST:
        return None
    share, head, row, key, number = best
    return Striking(layer=number, head=head, query=queries[row], key=key, share=share)


def _largest(shares: Numbers, far: NDArray[np.bool_], heads: tuple[int, ...]) -> tuple[float, int, int, int]:
    """Return the largest share to a far key, and its head, row and key."""
    kept = np.where(far, shares, -1.0)
    if heads:
        kept[[head for head in range(len(kept)) if head not in heads]] = -1.0
    head, row, key = np.unravel_index(int(kept.argmax()), kept.shape)
    return float(kept[head, row, key]), int(head), int(row), int(key)


def _ends_of_words(sample: Sample) -> list[int]:
    """Return the last position of every word that has letters or digits."""
    ends = {sample.words[position]: position for position in range(len(sample)) if _says_something(sample, position)}
    return sorted(ends.values())


def _far(sample: Sample, queries: list[int]) -> NDArray[np.bool_]:
    """Return which keys are worth looking at for each query [query, key]: other words, further than the next one."""
    keys = range(len(sample))
    far = np.zeros((len(queries), len(sample)), dtype=bool)
    for row, query in enumerate(queries):
        far[row] = [key > 0 and _says_something(sample, key) and _apart(sample, query, key) for key in keys]
    return far


def _apart(sample: Sample, query: int, key: int) -> bool:
    one, other = sample.words[query], sample.words[key]
    if one is None or other is None or sample.parts[query] != sample.parts[key]:
        return sample.parts[query] != sample.parts[key]
    return abs(one - other) > 1 and sample.labels[query].casefold() != sample.labels[key].casefold()


def _says_something(sample: Sample, position: int) -> bool:
    return sample.kinds[position] not in ASIDE and any(sign.isalnum() for sign in sample.surface(position))
