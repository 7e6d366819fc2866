"""How much of what is reserved is used: pages against one stretch of memory for each request.

Kwon et al. 2023, section 3.1 and figure 3, name the three kinds of waste: places reserved for what is still to come,
places that nothing ever comes to (internal fragmentation), and gaps that are too small for anybody (external).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError
from core.serving.events import Event, Replay, Served

Counts = NDArray[np.int64]

POLICIES = ("longest", "power", "oracle")


@dataclass(frozen=True, kw_only=True, eq=False)
class Usage:
    """Slots by what becomes of them, per round [round], out of `slots`.

    `used` hold a position; `ahead` are reserved and will; `never` are reserved and never will; `outside` are free in
    gaps too small for whoever waits; `kept` hold beginnings that nobody in work needs, and can be had at once. `saved`
    are slots that would be used as well if nothing were shared. `ends` are the rounds in which each request ended.
    """

    used: Counts
    ahead: Counts
    never: Counts
    outside: Counts
    kept: Counts
    saved: Counts
    slots: int
    ends: tuple[int, ...]

    @property
    def waste(self) -> NDArray[np.float64]:
        """The share of what is reserved or cannot be had that holds nothing, per round; 0 where nothing is reserved."""
        idle = self.ahead + self.never + self.outside
        return idle / np.maximum(self.used + idle, 1)

    @property
    def mean_waste(self) -> float:
        """The same over all rounds together."""
        idle = int((self.ahead + self.never + self.outside).sum())
        return idle / max(int(self.used.sum()) + idle, 1)


def paged(replay: Replay) -> Usage:
    """Return how the pool of a replay was used: only a request's last block can hold slots that are not."""
    rows = [_blocks(replay, event) for event in replay.ends()]
    return _usage(rows, replay.block_size * replay.blocks, [request.ended for request in replay.requests])


def contiguous(replay: Replay, *, longest: int | None = None, policy: str = "longest") -> Usage:
    """Return how the same memory would be used if each request of a replay were given one stretch for all it may need.

    `policy` says how much: "longest" places for everybody (as much as a request may have at most), the next "power" of
    two, or what it will need as an "oracle" would know it; the first gap that is large enough is taken (Kwon et al.
    2023, section 6.1).

    Raises:
        CoreError: `unknown_choice` for another policy; `serving_value` where `longest` is less than a request needs or
            more than there is.
    """
    if policy not in POLICIES:
        raise CoreError("unknown_choice", came=policy, allowed=", ".join(POLICIES))
    slots, most = replay.block_size * replay.blocks, max(request.kept for request in replay.requests)
    longest = min(2 * most, slots) if longest is None else longest
    if not most <= longest <= slots:
        raise CoreError("serving_value", name="longest", came=longest, allowed=f"{most} … {slots}")
    asked = [min(_reserved(policy, request, longest), slots) for request in replay.requests]
    return _Stretches(replay, asked, slots).usage()


def _reserved(policy: str, request: Served, longest: int) -> int:
    """Return how many slots a request is given."""
    if policy == "longest":
        return longest
    return 1 << (request.kept - 1).bit_length() if policy == "power" else request.kept


class _Stretches:
    """Requests in stretches of memory: where each begins, and since when it is there."""

    def __init__(self, replay: Replay, asked: Sequence[int], slots: int) -> None:
        self.requests, self.together, self.asked, self.slots = replay.requests, replay.together, asked, slots
        self.placed: dict[int, int] = {}
        self.began: dict[int, int] = {}

    def usage(self) -> Usage:
        """Go through the rounds until everybody has ended."""
        rows: list[tuple[int, ...]] = []
        ends: dict[int, int] = {}
        while len(ends) < len(self.requests):
            now = len(rows)
            waiting = [r.number for r in self.requests if r.arrived <= now and r.number not in self.began]
            while waiting and len(self.placed) < self.together and self._place(waiting[0], now):
                waiting.pop(0)
            for number in [n for n in self.placed if self._stored(n, now) == self.requests[n].kept]:
                del self.placed[number]
                ends[number] = now
            rows.append(self._row(now, waiting[0] if waiting else None))
        return _usage(rows, self.slots, [ends[request.number] for request in self.requests])

    def _gaps(self) -> list[range]:
        edges = sorted((start, start + self.asked[number]) for number, start in self.placed.items())
        starts, ends = [0, *(end for _, end in edges)], [*(start for start, _ in edges), self.slots]
        return [range(start, end) for start, end in zip(starts, ends, strict=True) if start < end]

    def _place(self, number: int, now: int) -> bool:
        fitting = self._fitting(number)
        if fitting:
            self.placed[number], self.began[number] = fitting[0].start, now
        return bool(fitting)

    def _fitting(self, number: int) -> list[range]:
        return [gap for gap in self._gaps() if len(gap) >= self.asked[number]]

    def _stored(self, number: int, now: int) -> int:
        return len(self.requests[number].ids) + now - self.began[number]

    def _row(self, now: int, next_one: int | None) -> tuple[int, ...]:
        used = sum(self._stored(number, now) for number in self.placed)
        final = sum(self.requests[number].kept for number in self.placed)
        reserved = sum(self.asked[number] for number in self.placed)
        free = self.slots - reserved
        apart = next_one is not None and free >= self.asked[next_one] and not self._fitting(next_one)
        return used, final - used, reserved - final, free if apart else 0, 0, 0


def _blocks(replay: Replay, event: Event) -> tuple[int, ...]:
    """Return the slots of one moment, those of a block that several read counted once."""
    size, pool = replay.block_size, event.pool
    used, will = dict[int, int](), dict[int, int]()
    for number, table, length in pool.tables:
        for place, block in enumerate(table):
            used[block] = max(used.get(block, 0), min(size, length - place * size))
            will[block] = max(will.get(block, 0), min(size, replay.requests[number].kept - place * size))
    held, ahead = sum(used.values()), sum(will.values()) - sum(used.values())
    kept = int((pool.holders > 0).sum()) - len(used)
    total = sum(length for _, _, length in pool.tables)
    return held, ahead, size * len(used) - held - ahead, 0, size * kept, total - held


def _usage(rows: Sequence[tuple[int, ...]], slots: int, ends: Sequence[int]) -> Usage:
    used, ahead, never, outside, kept, saved = np.array(rows, dtype=np.int64).T
    return Usage(
        used=used,
        ahead=ahead,
        never=never,
        outside=outside,
        kept=kept,
        saved=saved,
        slots=slots,
        ends=tuple(ends),
    )
