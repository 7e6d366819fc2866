"""Which pairs are looked at together: pairs of one length, about as many target pieces in every batch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

POOL = 6000  # pairs among which those of one length are put together


@dataclass(frozen=True, kw_only=True)
class Numbered:
    """A pair in ids: what is read, closed by its end piece, and what is to be written.

    `it` and `antecedent` are the places of a pronoun and of its noun among the read pieces, where there is one.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    it: int | None = None
    antecedent: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson:
    """One batch: `given` is what the decoder reads, `wanted` the same one place later.

    `pointing` [pronoun, 3] are row, place of the pronoun and place of its noun.
    """

    source: Tensor
    given: Tensor
    wanted: Tensor
    pointing: Tensor


@dataclass(frozen=True, kw_only=True)
class Marks:
    """The ids of the pieces that are not words."""

    padding: int = 0
    start: int = 1
    end: int = 2
    unknown: int = 3


def endless(pairs: Sequence[Numbered], *, seed: int, pieces: int) -> Iterator[list[Numbered]]:
    """Yield batches of about `pieces` target pieces for ever; every pair comes once before any comes again."""
    epoch = 0
    while True:
        chance = random.Random(f"{seed}/{epoch}")
        order = list(range(len(pairs)))
        chance.shuffle(order)
        for start in range(0, len(order), POOL):
            pool = sorted(order[start : start + POOL], key=lambda one: _size(pairs[one]))
            found = list(_cut([pairs[one] for one in pool], pieces))
            chance.shuffle(found)
            yield from found
        epoch += 1


def lesson(pairs: Sequence[Numbered], marks: Marks) -> Lesson:
    """Return a batch as tensors, padded on the right."""
    pointing = [(row, one.it, one.antecedent) for row, one in enumerate(pairs) if None not in (one.it, one.antecedent)]
    return Lesson(
        source=padded([one.source for one in pairs], marks.padding),
        given=padded([(marks.start, *one.target) for one in pairs], marks.padding),
        wanted=padded([(*one.target, marks.end) for one in pairs], marks.padding),
        pointing=torch.tensor(pointing, dtype=torch.long).reshape(-1, 3),
    )


def padded(rows: Sequence[Sequence[int]], padding: int) -> Tensor:
    """Return rows of ids as one tensor [batch, position]."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows])


def _size(pair: Numbered) -> tuple[int, int]:
    return len(pair.target), len(pair.source)


def _cut(pairs: Sequence[Numbered], pieces: int) -> Iterator[list[Numbered]]:
    batch: list[Numbered] = []
    for pair in pairs:
        batch.append(pair)
        if len(batch) * (len(pair.target) + 1) >= pieces:
            yield batch
            batch = []
    if batch:
        yield batch
