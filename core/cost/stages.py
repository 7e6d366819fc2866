"""Reading a prompt and writing an answer as a chip sees them: operations to do, bytes to read (Pope et al. 2022,
section 2; Austin et al. 2025, chapter 7).

Everything here is a bound from below: all that is computed runs at the chip's peak, all that is read is read once at
its full speed, and several cards share the work without losing any of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from core.cost.chips import Chip
from core.cost.published import Published
from core.cost.work import Number

MILLION, HOUR = 1_000_000, 3600


@dataclass(frozen=True, kw_only=True)
class Load:
    """How a model is run: `batch` texts at once, weights in numbers of `weight` bytes, keys and values in numbers of
    `kept` bytes."""

    batch: int = 1
    weight: Number = 2
    kept: Number = 2


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Some tokens on their way through a model: operations to do, bytes of weights and of the cache to read or
    write."""

    tokens: int
    operations: Number
    weights: Number
    cache: Number

    @property
    def bytes(self) -> Number:
        """Bytes of both."""
        return self.weights + self.cache

    @property
    def intensity(self) -> Number:
        """Operations for every byte."""
        return self.operations / self.bytes

    def seconds(self, chip: Chip) -> Number:
        """Return the least time on a chip; on several, that of all of them together."""
        return chip.seconds(self.operations, self.bytes)

    def waits_for_memory(self, chip: Chip) -> bool:
        """Tell whether the chip's memory is what it waits for, and not its arithmetic."""
        return self.intensity < chip.ridge

    def price(self, chip: Chip, hour: Number) -> Number:
        """Return what a million of these tokens cost at least, where an hour of one card costs `hour`."""
        return self.seconds(chip) / self.tokens * MILLION * hour / HOUR


def reading(model: Published, length: int, load: Load) -> Stage:
    """Return what it takes to read prompts of some length at once, and to know what may follow each."""
    tokens = load.batch * length
    each = 2 * model.multiplied * length + 2 * model.head + model.looks(0, length, reading=True)
    return Stage(
        tokens=tokens,
        operations=load.batch * each,
        weights=model.touched(tokens) * load.weight,
        cache=load.batch * model.kept(length, load.kept),
    )


def writing(model: Published, before: int, length: int, load: Load) -> Stage:
    """Return what it takes to write answers of some length, one token after another, each after `before` tokens:
    weights and cache are read for every one of them."""
    start, end = before, before + length
    each = 2 * (model.multiplied + model.head) * length + model.looks(start, end, reading=False)
    return Stage(
        tokens=load.batch * length,
        operations=load.batch * each,
        weights=length * model.touched(load.batch) * load.weight,
        cache=load.batch * model.fetched(start, end, load.kept),
    )


def held(model: Published, length: int, load: Load) -> Number:
    """Return the bytes of memory that all weights take, and the caches of all texts at some length."""
    return model.parameters * load.weight + load.batch * model.kept(length, load.kept)


def cards(model: Published, chip: Chip, length: int, load: Load) -> int:
    """Return how many cards hold all that, if it can be shared out to the last byte."""
    return ceil(held(model, length, load) / chip.memory)


def longest(model: Published, chip: Chip, load: Load) -> int | None:
    """Return the longest text whose cache fits on one card beside the weights, 0 where not even these fit; None where
    what is kept does not grow with the text."""
    if held(model, 1, load) > chip.memory:
        return 0
    first, last = 1, 1 << 40
    if held(model, last, load) <= chip.memory:
        return None
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if held(model, middle, load) <= chip.memory else (first, middle)
    return first


def enough(model: Published, chip: Chip, length: int, load: Load) -> int | None:
    """Return how many texts must be written at once at some length until a step waits for arithmetic; None where no
    number is enough, because each text brings a cache of its own to be read."""
    for power in range(31):
        tried = Load(batch=1 << power, weight=load.weight, kept=load.kept)
        if not writing(model, length, 1, tried).waits_for_memory(chip):
            return 1 << power
    return None
