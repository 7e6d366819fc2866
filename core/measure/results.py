"""What a measurement leaves behind: points, and the machine that they were measured on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "runs" / "cost"
MEASURED, REFUSED, MEMORY, LONG, FAILED = "measured", "refused", "memory", "long", "failed"


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One thing to measure: a mixer (or a way to compute attention, or a model) on a text of `length` positions,
    forward, or (`back`) forward and backward. `width` is 0 for a model, which has its own."""

    subject: str
    length: int
    back: bool = False
    width: int = 64


@dataclass(frozen=True, kw_only=True)
class Point:
    """What was measured of a unit.

    `outcome` is "measured", "refused" (by its estimate), "memory" (it ran out), "long" (for a model) or "failed".
    `seconds` are the median of `times` runs, `low` and `high` the quartiles. `bytes` are the most that PyTorch's
    allocator held at once during a run above what was there before (the numbers that go in and the `weights` are not
    part of it), `resident` by how much the memory of the process rose (None where the system does not tell); of a point
    that was not measured, `bytes` are what was estimated. Of one that was measured in several passes, `passes` are the
    medians of all of them, lowest first.
    """

    unit: Unit
    outcome: str = MEASURED
    seconds: float = 0.0
    low: float = 0.0
    high: float = 0.0
    times: int = 0
    bytes: int = 0
    resident: int | None = None
    weights: int = 0
    passes: tuple[float, ...] = ()

    @property
    def there(self) -> bool:
        """Whether it was measured."""
        return self.outcome == MEASURED

    @property
    def spread(self) -> tuple[float, float]:
        """From the lower quartile of the runs to the upper one, and as far as the second lowest median of several
        passes: what other processes took for the same."""
        return self.low, max((self.high, *self.passes[1:2]))

    def with_pass(self, other: Point) -> Point:
        """Return the point of two passes: the one with the lower median, since whoever else is at work only adds time,
        with the medians of both."""
        if not (self.there and other.there):
            return self if self.there else other
        medians = sorted((*(self.passes or (self.seconds,)), *(other.passes or (other.seconds,))))
        return replace(other if other.seconds < self.seconds else self, passes=tuple(medians))


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Where points were measured: its `name`, `device` ("cpu" or a GPU's name), `threads`, package `versions` and the
    `date`.

    `operations` a second is what a product of two large matrices reaches, `read` how many bytes a second a product of a
    large matrix with a vector reads (float32).
    """

    name: str
    device: str
    threads: int
    versions: Mapping[str, str]
    date: str
    operations: float = 0.0
    read: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """Points of one machine."""

    machine: Machine
    points: tuple[Point, ...]

    def of(self, subject: str, *, back: bool, width: int) -> tuple[Point, ...]:
        """Return the points of one subject, by length."""
        wanted = (subject, back, width)
        found = [point for point in self.points if (point.unit.subject, point.unit.back, point.unit.width) == wanted]
        return tuple(sorted(found, key=lambda point: point.unit.length))

    def joined(self, newer: Run) -> Run:
        """Return both together, on the newer one's machine; of two points of the same unit, that of two passes. What
        the machine reaches is the better of both."""
        points = {point.unit: point for point in self.points}
        for point in newer.points:
            before = points.get(point.unit)
            points[point.unit] = point if before is None else before.with_pass(point)
        one, other = self.machine, newer.machine
        machine = replace(other, operations=max(one.operations, other.operations), read=max(one.read, other.read))
        return Run(machine=machine, points=tuple(points.values()))


def saved(folder: Path = FOLDER) -> dict[str, Run]:
    """Return the saved runs by name, in the order of their names."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.json"))}


def read(path: Path) -> Run:
    """Read a run."""
    return run_of(json.loads(path.read_text(encoding="utf-8")))


def write(run: Run, path: Path) -> None:
    """Write a run, one point a line."""
    told = told_of(run)
    points = ",\n  ".join(json.dumps(point) for point in told["points"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'{{"machine": {json.dumps(told["machine"], indent=1)},\n "points": [\n  {points}\n ]}}\n', encoding="utf-8"
    )


def told_of(run: Run) -> dict[str, Any]:
    """Return a run as plain values."""
    return {"machine": asdict(run.machine), "points": [point_told(point) for point in _ordered(run.points)]}


def run_of(told: Mapping[str, Any]) -> Run:
    """Return the run that plain values tell of."""
    return Run(machine=Machine(**told["machine"]), points=tuple(point_of(one) for one in told["points"]))


def point_told(point: Point) -> dict[str, Any]:
    """Return a point as plain values, its unit among them; times to four digits."""
    told = asdict(point)
    unit = told.pop("unit")
    times = {name: _short(told[name]) for name in ("seconds", "low", "high")}
    return unit | told | times | {"passes": [_short(one) for one in told["passes"]]}


def point_of(told: Mapping[str, Any]) -> Point:
    """Return the point that plain values tell of."""
    unit = {name: told[name] for name in Unit.__dataclass_fields__}
    rest = {name: value for name, value in told.items() if name not in unit}
    return Point(unit=Unit(**unit), **rest | {"passes": tuple(rest.get("passes", ()))})


def _short(seconds: float) -> float:
    return float(f"{seconds:.4g}")


def _ordered(points: Iterable[Point]) -> list[Point]:
    return sorted(points, key=lambda one: (one.unit.width, one.unit.back, one.unit.subject, one.unit.length))
