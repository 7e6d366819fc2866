"""A measurement in a process of its own: started, listened to, and really ended."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.measure.estimating import Estimate, Forecast, memory
from core.measure.results import REFUSED, Machine, Point, point_of
from core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "core.measure.worker")
PATIENCE = 0.25
LOOKOUT = {"GOMP_SPINCOUNT": "1000"}

Heard = Machine | Point | None


def measuring(
    forecast: Forecast, settings: Settings, device: str, command: Sequence[str] = COMMAND
) -> Generator[Heard, None, None]:
    """Yield the machine and then each point as it is measured, those that were refused first; None whenever there was
    nothing for a moment. Whoever closes the generator ends the process, at once."""
    yield from (refused(one) for one in forecast.refused)
    waiting = [one.unit for one in forecast.units]
    asked = {
        "units": [asdict(unit) for unit in waiting],
        "device": device,
        "threads": settings.threads,
        "limit": memory(settings),
    }
    with _started(command) as process:
        _ask(process, asked)
        for line in _lines(process):
            if line is None:
                yield None
            elif "machine" in line:
                yield Machine(**line["machine"])
            else:
                unit = waiting.pop(0)
                yield _point(line["point"], unit, forecast)


def refused(one: Estimate) -> Point:
    """Return the point of a unit that is left out, with what it would have taken."""
    return Point(unit=one.unit, outcome=REFUSED, bytes=one.bytes)


def _point(told: Mapping[str, Any], unit: Any, forecast: Forecast) -> Point:
    """Return what was told of a unit; what was estimated stands in where nothing was measured."""
    found = point_of(told) if "subject" in told else Point(unit=unit, outcome=told["outcome"])
    if found.there:
        return found
    return replace(found, bytes=next(one.bytes for one in forecast.units if one.unit == unit))


@contextmanager
def _started(command: Sequence[str]) -> Generator[subprocess.Popen[str], None, None]:
    """Run a process in a group of its own, which ends as a whole.

    Its threads look out for one another for some microseconds before they sleep: waking one takes a machine that has
    nothing else to do longer than a step of an LSTM, and one that is busy less.
    """
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **LOOKOUT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def _ask(process: subprocess.Popen[str], asked: Mapping[str, Any]) -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()


def _lines(process: subprocess.Popen[str]) -> Generator[dict[str, Any] | None, None, None]:
    """Yield each line that a process says, None whenever it has said nothing for a moment; end when it ends."""
    said: queue.Queue[str] = queue.Queue()
    listening = threading.Thread(target=_listen, args=(process.stdout, said), daemon=True)
    listening.start()
    while listening.is_alive() or not said.empty():
        with suppress(queue.Empty):
            yield json.loads(said.get(timeout=PATIENCE))
            continue
        yield None


def _listen(stream: Iterable[str], said: queue.Queue[str]) -> None:
    """Hand on each line."""
    with suppress(ValueError):  # closed while it was read
        for line in stream:
            said.put(line)
