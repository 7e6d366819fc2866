"""The process that measures: `python -m core.measure.worker` reads what to measure and tells each point as it comes.

It takes one JSON line and answers with one for each thing it knows: first what the machine reaches, then the points.
On Linux every point is measured in a process of its own, forked from this one before it has computed anything: what one
point leaves behind cannot make another larger or smaller, and a point that takes too much memory takes nobody with it.
The end of what comes in is the end of the work.
"""

from __future__ import annotations

import core.waiting  # noqa: F401  before torch is loaded

# isort: split
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import torch

from core.errors import CoreError
from core.measure.clocks import allocated, measured
from core.measure.machine import machine, reached
from core.measure.results import FAILED, LONG, MEMORY, Point, Unit, point_told

NICE, SLACK, PROBED, FIRST = 10, 256 << 20, 512 << 20, "1000"
MACHINE, POINT = "machine", "point"
STATUS, EXPENDABLE = Path("/proc/self/status"), Path("/proc/self/oom_score_adj")
Told = dict[str, Any]
Work = Callable[[], Told]


def main() -> int:
    """Do what is asked for in one line, and tell line by line."""
    told = _spoken()
    asked = json.loads(sys.stdin.readline())
    os.nice(NICE)
    device, limit = asked["device"], asked["limit"]
    apart = _apart if sys.platform == "linux" and device == "cpu" else _here
    allocated(lambda: None)  # what counting needs is loaded once, for all points
    for name, work in _all(asked["units"], device, asked["threads"]):
        found = apart(work, max(limit, PROBED) if name == MACHINE else limit)
        if found is None:
            return 1
        _tell(told, {name: found})
    return 0


def _all(units: list[Told], device: str, threads: int) -> list[tuple[str, Work]]:
    each = [(POINT, partial(_point, Unit(**one), device, threads)) for one in units]
    return [(MACHINE, lambda: _machine(device, threads)), *each]


def _machine(device: str, threads: int) -> Told:
    _threads(threads)
    operations, read = reached(device)
    return asdict(replace(machine(device), operations=operations, read=read))


def _point(unit: Unit, device: str, threads: int) -> Told:
    """Return a point, also of a unit for which the memory was not enough."""
    _threads(threads)
    try:
        return point_told(measured(unit, device))
    except (MemoryError, torch.OutOfMemoryError):
        return point_told(Point(unit=unit, outcome=MEMORY))
    except CoreError as refused:
        return point_told(Point(unit=unit, outcome=LONG if refused.key == "too_long" else FAILED))
    except RuntimeError as error:
        return point_told(Point(unit=unit, outcome=MEMORY if "allocate" in str(error) else FAILED))


def _threads(count: int) -> None:
    if count:
        torch.set_num_threads(count)


def _here(work: Work, limit: int) -> Told | None:  # noqa: ARG001  a GPU's memory is bounded by itself
    """Work in this process, which also knows when nobody listens any more: then there is nothing to tell."""
    gone, _, _ = select.select([0], [], [], 0)
    return None if gone else work()


def _apart(work: Work, limit: int) -> Told | None:
    """Work in a process of its own that may take so many bytes; None where nobody listens any more."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _child(work, write, limit)
    os.close(write)
    found = _heard(read, child)
    _, status = os.waitpid(child, 0)
    if found is None:
        return None
    return json.loads(found) if found else {"outcome": MEMORY if os.WIFSIGNALED(status) else FAILED}


def _child(work: Work, write: int, limit: int) -> None:
    """Bound this process's memory, work, hand the result over, and end without what the parent would still do."""
    try:
        if EXPENDABLE.exists():
            EXPENDABLE.write_text(FIRST, encoding="ascii")
        most = _data() + limit + SLACK
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        os.write(write, json.dumps(work()).encode())
    finally:
        os._exit(0)


def _data() -> int:
    lines = STATUS.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


def _heard(read: int, child: int) -> bytes | None:
    """Return all that a child hands over; if nobody listens to this process any more, end the child and return None."""
    found = b""
    while True:
        ready, _, _ = select.select([read, 0], [], [])
        if 0 in ready:
            os.kill(child, signal.SIGKILL)
            os.close(read)
            return None
        some = os.read(read, 65_536)
        if not some:
            os.close(read)
            return found
        found += some


def _spoken() -> TextIO:
    """Return where to tell, and keep everybody else from speaking there."""
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return told


def _tell(told: TextIO, one: Told) -> None:
    told.write(json.dumps(one) + "\n")
    told.flush()


if __name__ == "__main__":
    sys.exit(main())
