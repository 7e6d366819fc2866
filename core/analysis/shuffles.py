"""Shuffles: a text in another order, and what a model makes of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.maps import Numbers
from core.blocks.untrained import drawn
from core.tracing import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class Outputs:
    """What a model left at every piece: ids [position], and the last hidden states [position, width]."""

    ids: NDArray[np.int64]
    final: Numbers


@dataclass(frozen=True, kw_only=True)
class Compared:
    """Two texts of the same pieces in another order.

    `difference` is the largest difference between the outputs of the second and those of the first put into its order,
    None where the texts are not made of the same pieces; `largest` the largest number among the first's outputs, to
    judge it by; `alike` the cosine of their mean outputs, which is what a
    sentence encoder is used for (Reimers and Gurevych 2019, section 3).
    """

    difference: float | None
    largest: float
    alike: float


@dataclass(frozen=True, kw_only=True)
class Likely:
    """A piece that may come next, and its probability among all pieces of the vocabulary."""

    ident: int
    label: str
    probability: float


def parts_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, or its characters where it has no white space."""
    words = text.split()
    return tuple(words) if len(words) > 1 else tuple("".join(words))


def begin(text: str, most: int) -> str:
    """Return the first parts of a text, put together again."""
    return _joined(text, parts_of(text)[:most])


def short(text: str, most: int = 32) -> str:
    """Return a text, or its end where it is long."""
    return text if len(text) <= most else f"…{text[1 - most :]}"


def alone(text: str) -> str:
    """Return a text of words with a space before the first, so that a vocabulary whose pieces begin with spaces has
    the same piece for a word wherever it stands."""
    return f" {text}" if len(text.split()) > 1 else text


def order_of(text: str, number: int) -> tuple[int, ...]:
    """Return an order for the parts of a text: 0 turns them round, every other number shuffles in its own way."""
    count = len(parts_of(text))
    straight, turned = tuple(range(count)), tuple(range(count))[::-1]
    if number == 0:
        return turned
    found = tuple(int(place) for place in torch.argsort(drawn(count, seed=number), stable=True))
    return turned if found == straight else found


def shuffled(text: str, number: int) -> str:
    """Return a text with its parts in another order."""
    parts = parts_of(text)
    return _joined(text, [parts[place] for place in order_of(text, number)])


def _joined(text: str, parts: Sequence[str]) -> str:
    return (" " if len(text.split()) > 1 else "").join(parts)


def outputs(trace: Trace) -> Outputs:
    """Return what the model left at every piece of its last side."""
    sample = trace.sample.target or trace.sample
    return Outputs(ids=sample.ids, final=trace.final)


def compared(first: Outputs, second: Outputs) -> Compared:
    """Compare what a model makes of two texts."""
    order, means = _order(first.ids, second.ids), (first.final.mean(0), second.final.mean(0))
    difference = None if order is None else float(np.abs(second.final - first.final[order]).max())
    lengths = np.linalg.norm(means[0]) * np.linalg.norm(means[1])
    largest = float(np.abs(first.final).max())
    return Compared(difference=difference, largest=largest, alike=float(means[0] @ means[1] / max(lengths, 1e-30)))


def likely(trace: Trace, best: int = 8) -> tuple[Likely, ...] | None:
    """Return the pieces that the model takes to be likeliest after the text, best first; None where it says nothing
    about a next piece."""
    model = trace.model
    if model.sides != ("decoder",) or model.network.output is None or model.classifies:
        return None
    logits = trace.logits([len(trace.sample) - 1])[0].astype(np.float64)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")[: max(0, best)]
    labels = [model.reader.of_ids([int(ident)]).labels[0] for ident in order]
    return tuple(
        Likely(ident=int(ident), label=label, probability=float(shares[ident]))
        for ident, label in zip(order, labels, strict=True)
    )


def _order(first: NDArray[np.int64], second: NDArray[np.int64]) -> list[int] | None:
    """Return where each piece of the second text stands in the first, None where they are not the same pieces."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, ident in enumerate(first.tolist()):
        places[ident].append(place)
    if sorted(first.tolist()) != sorted(second.tolist()):
        return None
    return [places[ident].pop(0) for ident in second.tolist()]
