"""What measured curves say: with which power they grow, where they cross, and what doubling the text costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from core.measure.results import Point

SPAN = 4
SUSTAINED = 2
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}  # 97.5 %, two-sided 95 %
NORMAL = 1.96

Curve = Sequence[tuple[int, int | float]]


@dataclass(frozen=True, kw_only=True)
class Slope:
    """A curve c n^`exponent` through the points from `first` to `last`, `count` of them; the 95 % interval of the
    exponent reaches from `low` to `high`. `factor` is c."""

    exponent: float
    low: float
    high: float
    first: int
    last: int
    count: int
    factor: float

    def at(self, length: int | float) -> float:
        """Return the curve at a length."""
        return float(self.factor * length**self.exponent)


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """From about `length` positions on, `cheaper` takes less than `dearer`: at `before` it took more beyond doubt, and
    less from `after` on."""

    cheaper: str
    dearer: str
    length: float
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class Doubling:
    """What a text of twice and of four times `length` takes, as multiples of what it takes itself."""

    length: int
    twice: float
    four: float


def slope(curve: Curve, span: int = SPAN) -> Slope | None:
    """Fit a power to the top end of a curve, from the last length divided by `span` on, by least squares on logarithms;
    None for fewer than three points.

    The interval is Student's (Draper and Smith 1998, section 1.4): it says how far the points lie from a straight line,
    and nothing of what the curve does beyond them.
    """
    there = sorted((length, value) for length, value in curve if value > 0)
    lengths = [length for length, _ in there if length * span >= there[-1][0]]
    if len(lengths) < 3:
        return None
    some = [(math.log(length), math.log(value)) for length, value in there[-len(lengths) :]]
    middle = sum(x for x, _ in some) / len(some)
    spread = sum((x - middle) ** 2 for x, _ in some)
    exponent = sum((x - middle) * y for x, y in some) / spread
    start = sum(y for _, y in some) / len(some) - exponent * middle
    left = sum((y - start - exponent * x) ** 2 for x, y in some)
    free = len(some) - 2
    reach = STUDENT.get(free, NORMAL) * math.sqrt(left / free / spread)
    return Slope(
        exponent=exponent,
        low=exponent - reach,
        high=exponent + reach,
        first=lengths[0],
        last=lengths[-1],
        count=len(some),
        factor=math.exp(start),
    )


def crossings(curves: Mapping[str, Sequence[Point]]) -> tuple[Crossing, ...]:
    """Return where one curve of seconds comes to lie below another, for every two of them, by length.

    Lengths at which the spreads of both overlap decide nothing, and of those that decide, an order that shows at one
    length only, and is another at the next, is taken for noise: it takes two lengths in a row before and two after.
    Between the nearest two the crossing is on straight lines in logarithms.
    """
    names, found = list(curves), []
    for number, one in enumerate(names):
        for other in names[number + 1 :]:
            found += _between(one, other, _apart(curves[one], curves[other]))
    return tuple(sorted(found, key=lambda crossing: crossing.length))


def doublings(curve: Curve) -> tuple[Doubling, ...]:
    """Return what doubling costs at every length whose double and fourfold were measured."""
    taken = dict(curve)
    return tuple(
        Doubling(length=length, twice=taken[2 * length] / taken[length], four=taken[4 * length] / taken[length])
        for length in sorted(taken)
        if {2 * length, 4 * length} <= taken.keys() and taken[length] > 0
    )


def interpolated(curve: Curve, length: int | float) -> float | None:
    """Return what a curve says at a length between two measured ones, on a straight line in logarithms; None outside,
    where nothing was measured."""
    some = sorted(curve)
    for (left, low), (right, high) in pairwise(some):
        if left <= length <= right:
            share = math.log(length / left) / math.log(right / left)
            return float(low * (high / low) ** share)
    return None


def seconds(points: Sequence[Point]) -> list[tuple[int, float]]:
    """Return the curve of seconds of those points that were measured."""
    return [(point.unit.length, point.seconds) for point in points if point.there]


def held(points: Sequence[Point]) -> list[tuple[int, float]]:
    """Return the curve of bytes of those points that were measured."""
    return [(point.unit.length, float(point.bytes)) for point in points if point.there]


def _apart(one: Sequence[Point], other: Sequence[Point]) -> list[tuple[int, float]]:
    """Return ln(one / other) at each length where the spreads leave no doubt."""
    there = {point.unit.length: point for point in other if point.there}
    pairs = [(point, there[point.unit.length]) for point in one if point.there and point.unit.length in there]
    clear = [(a, b) for a, b in pairs if a.spread[1] < b.spread[0] or b.spread[1] < a.spread[0]]
    return [(a.unit.length, math.log(a.seconds / b.seconds)) for a, b in clear]


def _between(one: str, other: str, apart: Sequence[tuple[int, float]]) -> list[Crossing]:
    rows = [list(some) for _, some in groupby(apart, key=lambda point: point[1] > 0)]
    sustained = [point for some in rows if len(some) >= SUSTAINED for point in some]
    found = []
    for (left, before), (right, after) in pairwise(sustained):
        if before * after < 0:
            share = before / (before - after)
            cheaper, dearer = (one, other) if after < 0 else (other, one)
            length = left * (right / left) ** share
            found.append(Crossing(cheaper=cheaper, dearer=dearer, length=length, before=left, after=right))
    return found
