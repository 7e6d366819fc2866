"""One row taken in hand: what becomes of an answer when a query's attention is moved from one key to another."""

from __future__ import annotations

import numpy as np

from core.analysis.maps import Numbers
from core.analysis.writing import probabilities
from core.changes import SetRow
from core.tracing import Trace, trace

ENCODER = "encoder"


def row(original: Trace, layer: int, head: int, query: int, side: str = ENCODER) -> Numbers:
    """Return what one query gives to every key in one head [key].

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    return original.pattern(layer, head, side, rows=[query])[0]


def moved(
    original: Trace, layer: int, head: int, query: int, one: int, other: int, *, part: float = 1.0, side: str = ENCODER
) -> SetRow:
    """Return the change that takes a part of what a query gives to `one`, 0 to 1, and gives it to `other`.

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    shares = row(original, layer, head, query, side).astype(np.float64)
    taken = part * shares[one]
    shares[one] -= taken
    shares[other] += taken
    return SetRow(side=side, layers=(layer,), heads=(head,), row=query, shares=tuple(shares.tolist()))


def deciding(original: Trace, query: int, one: int, other: int, place: int) -> Numbers:
    """Return how likely what was written at `place` stays, when a row is moved in one head of the encoder at a time.

    The row of `query` gives all that it gave to `one` to `other`; the answer before `place`, a row of the decoder, is
    held as it was written [layer, head].

    Raises:
        CoreError: `out_of_range`.
    """
    layers = original.layers(ENCODER)
    heads = original.layer(0, ENCODER).shape[0]
    ident = written(original, place)
    found = np.empty((len(layers), heads), dtype=np.float32)
    for layer, head in np.ndindex(found.shape):
        change = moved(original, layer, head, query, one, other)
        again = trace(original.model, original.sample, (change,))
        found[layer, head] = probabilities(again.logits([place]))[0, ident]
    return found


def written(original: Trace, place: int) -> int:
    """Return the id of what a row of the decoder wrote: the next piece of the answer, or the likeliest after it."""
    answer = original.sample.target
    if answer is not None and place + 1 < len(answer):
        return int(answer.ids[place + 1])
    return int(original.logits([place])[0].argmax())
