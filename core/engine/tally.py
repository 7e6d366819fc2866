"""What an engine did: how often and how long, by phase, and what it refused. Numbers only, no word of anybody."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from core.errors import CoreError

BOUNDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@dataclass(frozen=True, kw_only=True)
class Phase:
    """How often something was done and how many `seconds` it took in all; `within` counts those that took no longer
    than each of BOUNDS."""

    count: int
    seconds: float
    within: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One store: how many things it holds, their bytes and the most it may hold; how often what was asked for was
    `found` and how often it was `made`."""

    things: int
    bytes: int
    limit: int
    found: int
    made: int


@dataclass(frozen=True, kw_only=True)
class Vitals:
    """How an engine does: its stores by name, its phases by name, what it refused by key, how many texts are `writing`
    or wait for their turn, and how many runs wait for the one that is at work."""

    stores: dict[str, Kept]
    phases: dict[str, Phase]
    refused: dict[str, int]
    writing: int
    measuring: int
    waiting: int

    @staticmethod
    def none() -> Vitals:
        """Return how an engine does that has done nothing."""
        return Vitals(stores={}, phases={}, refused={}, writing=0, measuring=0, waiting=0)


class Tally:
    """Counts for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: dict[str, float] = {}
        self._within: dict[str, list[int]] = {}
        self._refused: Counter[str] = Counter()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count one more of a phase, and how long it takes; what fails is counted too."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._note(phase, time.monotonic() - began)

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Count what is refused, by its key."""
        try:
            yield
        except CoreError as refused:
            with self._lock:
                self._refused[refused.key] += 1
            raise

    def phases(self) -> dict[str, Phase]:
        """Return what was done so far."""
        with self._lock:
            return {
                name: Phase(count=sum(counts), seconds=self._seconds[name], within=_running(counts))
                for name, counts in self._within.items()
            }

    def refused(self) -> dict[str, int]:
        """Return what was refused so far."""
        with self._lock:
            return dict(self._refused)

    def _note(self, phase: str, seconds: float) -> None:
        with self._lock:
            counts = self._within.setdefault(phase, [0] * (len(BOUNDS) + 1))
            counts[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[phase] = self._seconds.get(phase, 0.0) + seconds


def _running(counts: list[int]) -> tuple[int, ...]:
    return tuple(sum(counts[: number + 1]) for number in range(len(BOUNDS)))


class Turn:
    """One run at a time, whoever came first; tells how many wait, and notes how long each of them did."""

    def __init__(self, tally: Tally) -> None:
        self.waiting, self.busy = 0, False
        self._tally = tally
        self._room, self._lock = threading.Semaphore(1), threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.waiting += 1
        try:
            with self._tally.timed("wait"):
                self._room.acquire()
        finally:
            with self._lock:
                self.waiting -= 1
        self.busy = True

    def __exit__(self, *raised: object) -> None:
        self.busy = False
        self._room.release()


def summed(engines: Sequence[Vitals]) -> Vitals:
    """Return how several engines do together."""
    stores, phases, refused = (
        _by_name([getattr(one, of) for one in engines]) for of in ("stores", "phases", "refused")
    )
    return Vitals(
        stores={name: Kept(**_added(kept)) for name, kept in stores.items()},
        phases={
            name: Phase(
                count=sum(one.count for one in found),
                seconds=sum(one.seconds for one in found),
                within=tuple(map(sum, zip(*(one.within for one in found), strict=True))),
            )
            for name, found in phases.items()
        },
        refused={name: sum(counts) for name, counts in refused.items()},
        writing=sum(one.writing for one in engines),
        measuring=sum(one.measuring for one in engines),
        waiting=sum(one.waiting for one in engines),
    )


def _by_name(tables: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: [table[name] for table in tables if name in table] for name in names}


def _added(kept: Sequence[Kept]) -> dict[str, int]:
    return {one.name: sum(getattr(store, one.name) for store in kept) for one in fields(Kept)}
