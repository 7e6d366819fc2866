"""The bench on which visitors measure: one at a time, the others in line, and nobody's work outlives their interest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field

from core import measure
from core.catalog.opening import choose_device
from core.engine.line import Line, Ticket
from core.errors import CoreError
from core.settings import Settings

LEASE, PATIENCE, KEPT = 20.0, 0.25, 64
Measuring = Callable[[measure.Forecast, Settings, str], Generator[measure.Machine | measure.Point | None, None, None]]
DONE, STOPPED, ENDED = "done", "stopped", "failed"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a measurement stands: what was `wanted`, how many come `ahead`, the points so far of all `count`, about how
    many seconds are left; `ended` is "" while it goes on, then "done", "stopped" or "failed".

    `machine` is None until it is known.
    """

    wanted: measure.Wanted
    ahead: int
    points: tuple[measure.Point, ...]
    count: int
    left: float
    ended: str
    machine: measure.Machine | None = None

    @property
    def run(self) -> measure.Run | None:
        """What is measured so far, as a run."""
        return None if self.machine is None else measure.Run(machine=self.machine, points=self.points)


@dataclass(kw_only=True, eq=False)
class _Work:
    wanted: measure.Wanted
    forecast: measure.Forecast
    ticket: Ticket
    seen: float
    began: float = 0.0
    points: list[measure.Point] = field(default_factory=list)
    machine: measure.Machine | None = None
    ended: str = ""


class Bench:
    """Measurements of visits by the names of their sessions, one of each.

    A visit that asks how its work stands keeps it going; one that has not asked for `lease` seconds has gone away.
    """

    def __init__(self, settings: Settings, lease: float = LEASE, measuring: Measuring = measure.measuring) -> None:
        self.settings, self.lease = settings, lease
        self._measuring = measuring
        self._line = Line(1)
        self._works: dict[str, _Work] = {}

    def forecast(self, wanted: measure.Wanted) -> measure.Forecast:
        """Return what a measurement will take.

        Raises:
            CoreError: what `core.measure.forecast` raises.
        """
        return measure.forecast(wanted, self.settings, measure.saved().values())

    def begin(self, wanted: measure.Wanted, session: str) -> None:
        """Begin to measure, or stand in line for it; what the session was measuring before is ended.

        Raises:
            CoreError: what `forecast` raises; then nothing begins and nothing ends.
        """
        coming = self.forecast(wanted)
        work = _Work(wanted=wanted, forecast=coming, ticket=self._line.join(session), seen=time.monotonic())
        self._works.pop(session, None)
        self._works[session] = work
        while len(self._works) > KEPT:
            self._works.pop(next(iter(self._works)))
        threading.Thread(target=self._work, args=(work,), daemon=True, name="measuring").start()

    def standing(self, session: str) -> Standing | None:
        """Return how the work of a session stands, None where it has none; asking keeps it going."""
        work = self._works.get(session)
        if work is None:
            return None
        work.seen = time.monotonic()
        points = tuple(work.points)
        return Standing(
            wanted=work.wanted,
            ahead=0 if work.ended else self._line.ahead(work.ticket),
            points=points,
            count=len(work.forecast.units) + len(work.forecast.refused),
            left=_left(work, points),
            ended=work.ended,
            machine=work.machine,
        )

    def __len__(self) -> int:
        """How many measure or wait for it."""
        return len(self._line)

    def stop(self, session: str) -> None:
        """End what a session is measuring; nothing to end is no error."""
        self._line.stop(session)

    def _work(self, work: _Work) -> None:
        try:
            while self._wanted(work) and self._line.ahead(work.ticket):
                self._line.ahead(work.ticket, PATIENCE)
            if self._wanted(work):
                self._measure(work)
        except (CoreError, OSError):
            work.ended = ENDED
        finally:
            whole = len(work.points) == len(work.forecast.units) + len(work.forecast.refused)
            work.ended = work.ended or (DONE if whole else ENDED if self._wanted(work) else STOPPED)
            self._line.leave(work.ticket)

    def _measure(self, work: _Work) -> None:
        work.began = time.monotonic()
        device = str(choose_device(self.settings.device))
        with closing(self._measuring(work.forecast, self.settings, device)) as coming:
            for one in coming:
                if isinstance(one, measure.Machine):
                    work.machine = one
                elif isinstance(one, measure.Point):
                    work.points.append(one)
                if not self._wanted(work):
                    return

    def _wanted(self, work: _Work) -> bool:
        """Whether anybody still waits for it."""
        return not work.ticket.stopped.is_set() and time.monotonic() - work.seen < self.lease


def _left(work: _Work, points: tuple[measure.Point, ...]) -> float:
    """Return about how many seconds are left: the estimate of what is to come, stretched by how far what came took
    longer than its own."""
    units = work.forecast.units
    if not work.began:
        return work.forecast.seconds
    made = len([point for point in points if point.outcome != measure.REFUSED])
    told, coming = sum(one.seconds for one in units[:made]), sum(one.seconds for one in units[made:])
    spent = time.monotonic() - work.began
    pace = min(4.0, max(0.25, spent / told)) if told > 2 else 1.0
    return max(0.0, coming * pace)
