"""What a measurement will take, said before it begins: from saved points where there are any, else by a rough formula.

Nothing here runs anything, so that the same question always has the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import torch

from core.catalog import catalog
from core.catalog.memory import available
from core.catalog.opening import choose_device
from core.errors import CoreError
from core.measure.results import Point, Run, Unit
from core.measure.subjects import NAMES, PLAIN, known, order
from core.mixers.table import HEADS
from core.settings import MEBIBYTE, Settings

GIBIBYTE = 1 << 30
FEWEST, MOST, ENOUGH = 3, 15, 0.3
AROUND, STARTING, OPENING = 0.1, 5.0, 1.5
SPEED, STEP, BACKWARD = 20e9, 30e-6, 3.5
WHOLE = {False: 2, True: 4}
ROWS = {False: 40, True: 160}
ROOM = 1.25
SHORTEST, FURTHEST = 16, 1 << 20


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to measure: which subjects on which lengths, forward or forward and backward, at which width.

    The lengths come in an order drawn from `seed`. With `skip`, what would take too much memory is left out, and shown
    as left out; without, it is refused.
    """

    subjects: tuple[str, ...]
    lengths: tuple[int, ...]
    back: bool = False
    width: int = 64
    seed: int = 0
    skip: bool = False


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What one unit will take: `seconds` with all its repeats, and the `bytes` of one run."""

    unit: Unit
    seconds: float
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a whole measurement will take: its units in the order in which they come, those that are left out, all its
    seconds and the most bytes at once."""

    units: tuple[Estimate, ...]
    refused: tuple[Estimate, ...]

    @property
    def seconds(self) -> float:
        """Everything together."""
        return STARTING + sum(one.seconds for one in self.units)

    @property
    def bytes(self) -> int:
        """The largest unit."""
        return max((one.bytes for one in self.units), default=0)


def steps(longest: int) -> tuple[int, ...]:
    """Return the lengths of a measurement: doublings up to the longest, and one between in each of the last two, so
    that a power of the top end has five points."""
    doubled = [SHORTEST << step for step in range(20) if SHORTEST << step <= longest]
    return tuple(sorted((*doubled, *(length * 3 // 2 for length in doubled[-3:-1]))))


def forecast(wanted: Wanted, settings: Settings, runs: Iterable[Run]) -> Forecast:
    """Return what a measurement will take on this machine.

    Raises:
        CoreError: `measure_off` where nobody may measure, `measure_nothing` for no subject or no length,
            `measure_length` for one that is out of reach, `unknown_choice` for a subject that there is not,
            `measure_memory` or `measure_time` above what is allowed, with the estimate; `no_device`.
    """
    if not settings.measure_seconds:
        raise CoreError("measure_off", name="HEADS_UP_MEASURE_SECONDS")
    here = choose_device(settings.device).type
    points = [point for run in runs if (run.machine.device == "cpu") == (here == "cpu") for point in run.points]
    points = [point for point in points if point.there]
    units = [estimate(unit, points) for unit in planned(wanted)]
    room = memory(settings)
    over = [one for one in units if one.bytes > room]
    if over and not wanted.skip:
        _too_large(max(over, key=lambda one: one.bytes), room)
    found = Forecast(units=tuple(one for one in units if one.bytes <= room), refused=tuple(over))
    if found.seconds > settings.measure_seconds:
        raise CoreError(
            "measure_time",
            came=ceil(found.seconds),
            allowed=settings.measure_seconds,
            name="HEADS_UP_MEASURE_SECONDS",
        )
    return found


def planned(wanted: Wanted) -> list[Unit]:
    """Return the units of a measurement in an order drawn from its seed.

    Raises:
        CoreError: what `forecast` raises of them.
    """
    if not wanted.subjects or not wanted.lengths:
        raise CoreError("measure_nothing")
    for subject in wanted.subjects:
        known(subject)
    for length in wanted.lengths:
        if not 0 < length <= FURTHEST:
            raise CoreError("measure_length", came=length, allowed=FURTHEST)
    units = [
        Unit(subject=subject, length=length, back=wanted.back, width=wanted.width if subject in NAMES else 0)
        for subject in dict.fromkeys(wanted.subjects)
        for length in dict.fromkeys(wanted.lengths)
    ]
    random.Random(wanted.seed).shuffle(units)
    return units


def memory(settings: Settings) -> int:
    """Return the bytes that one run may take: what the operator allows, and no more than four fifths of what is free,
    in whole GiB, so that a moment's change makes no other answer."""
    device = choose_device(settings.device)
    free = (torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else available()) * 4 // 5
    return min(settings.measure_mib * MEBIBYTE, max(free // GIBIBYTE, 1) * GIBIBYTE)


def estimate(unit: Unit, points: Sequence[Point]) -> Estimate:
    """Return what a unit will take, scaled from the nearest shorter saved point of the same kind, by the power of the
    length with which it grows."""
    near = nearest(unit, points)
    once = seconds(unit, near)
    opening = 0.0 if unit.subject in NAMES else OPENING
    return Estimate(unit=unit, seconds=AROUND + opening + once * (4 + times(once)), bytes=room_for(unit, near))


def nearest(unit: Unit, points: Iterable[Point]) -> Point | None:
    """Return the longest saved point of the same kind that is no longer than a unit, else the shortest."""
    alike = [point for point in points if _kind(point.unit) == _kind(unit)]
    shorter = [point for point in alike if point.unit.length <= unit.length]
    if shorter:
        return max(shorter, key=lambda point: point.unit.length)
    return min(alike, key=lambda point: point.unit.length, default=None)


def times(once: float) -> int:
    """Return how many timed runs a unit gets that takes so many seconds."""
    return min(MOST, max(FEWEST, ceil(ENOUGH / max(once, 1e-6))))


def seconds(unit: Unit, near: Point | None) -> float:
    """Return the seconds of one run."""
    if near is not None:
        return near.seconds * max(unit.length / near.unit.length, 0.01) ** order(unit.subject)
    length, width = unit.length, unit.width or 64
    more = BACKWARD if unit.back else 1.0
    if unit.subject not in NAMES:
        return more * (2 * _parameters(unit.subject) * length / SPEED + 1e-8 * length**2)
    squared = 6 * width * length**2 if order(unit.subject) > 1 else 0
    return more * ((squared + 40 * width**2 * length) / SPEED + STEP * length)


def room_for(unit: Unit, near: Point | None) -> int:
    """Return the bytes of one run: what a pattern of all heads takes where it is written down, else what a saved point
    took, grown in proportion, else some numbers for every position."""
    length, numbers = unit.length, ROWS[unit.back]
    if unit.subject == PLAIN or (unit.back and order(unit.subject) > 1 and near is None and unit.subject in NAMES):
        return 4 * (WHOLE[unit.back] * HEADS * length**2 + numbers * unit.width * length)
    if near is not None:
        power = _memory_order(unit)
        return int(ROOM * near.bytes * max(length / near.unit.length, 1.0) ** power)
    if unit.subject in NAMES:
        return 4 * numbers * unit.width * length
    parameters = _parameters(unit.subject)
    return 4 * (
        (parameters // 250 + 50_000) * length + parameters if unit.back else (parameters // 4000 + 4000) * length
    )


def _memory_order(unit: Unit) -> int:
    """Return the power with which a run's memory may grow: forward, nothing but a written pattern is a square."""
    return order(unit.subject) if unit.back and unit.subject in NAMES else 1


def _kind(unit: Unit) -> tuple[str, bool, int]:
    return unit.subject, unit.back, unit.width


def _parameters(name: str) -> int:
    return next(entry.parameters for entry in catalog() if entry.name == name)


def _too_large(one: Estimate, room: int) -> None:
    raise CoreError(
        "measure_memory",
        what=one.unit.subject,
        length=f"{one.unit.length:,}",
        came=f"{one.bytes / 1e9:.1f}",
        allowed=f"{room / 1e9:.1f}",
        name="HEADS_UP_MEASURE_MIB",
    )
