"""How do time and memory grow with the text, for the default set of the Cost page, and is measuring itself as promised?

`python -m benchmarks.cost FILE` also measures all else that the page shows of a saved run, everything as often as the
default set, and begins that file anew with it.
"""

import os
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._rows import digits, row, save
from core.errors import CoreError
from core.measure import (
    Estimate,
    Forecast,
    Machine,
    Point,
    Run,
    Unit,
    Wanted,
    estimating,
    fitting,
    forecast,
    measuring,
    saved,
    steps,
    write,
)
from core.measure.__main__ import measured
from core.measure.subjects import NAMES, PLAIN, SERIAL, USUAL, order
from core.settings import Settings

QUESTION = "How do time and memory grow with the length of the text, and is measuring itself as promised?"
LENGTHS = steps(16_384)
PASSES = 2
DEFAULT = Wanted(subjects=USUAL, lengths=LENGTHS, skip=True)
REST = (
    Wanted(subjects=tuple(name for name in NAMES if name not in (*USUAL, "best")), lengths=LENGTHS, skip=True),
    Wanted(subjects=("best",), lengths=steps(8192), skip=True),
    Wanted(subjects=USUAL, lengths=steps(2048), back=True, skip=True),
    Wanted(subjects=(*SERIAL, "everyone", "full", "linear"), lengths=steps(4096), width=256, skip=True),
    Wanted(subjects=("minilm", "smollm2", "translator"), lengths=steps(512), skip=True),
)


def sweep(to: Path | None) -> list[dict[str, Any]]:
    """Measure the default set, and for a file all else, several times, everything as often; tell how long the default
    set took first, and with which power each of it grew."""
    began = time.monotonic()
    run = measured(DEFAULT)
    lasted = time.monotonic() - began
    for again in range(PASSES):
        for wanted in (DEFAULT, *(REST if to is not None else ())):
            if again or wanted is not DEFAULT:
                run = run.joined(measured(replace(wanted, seed=again)))
    if to is not None:
        write(run, to)
    setting = f"{len(USUAL)} subjects, {LENGTHS[0]} to {LENGTHS[-1]} tokens, forward, width 64, {PASSES} passes"
    rows = [row(setting, "seconds of the whole sweep, the first", digits(lasted), wanted="< 180")]
    points = [point for name in USUAL for point in run.of(name, back=False, width=64)]
    rows.append(row(setting, "points that were not measured", len([one for one in points if not one.there])))
    return rows + growing(run)


def growing(run: Run) -> list[dict[str, Any]]:
    """Return with which power each subject grew, and where they cross."""
    rows = [each for name in USUAL for each in grown(name, run)]
    for one in fitting.crossings({name: run.of(name, back=False, width=64) for name in USUAL}):
        rows.append(row(f"{one.cheaper} below {one.dearer}", "tokens from which on", digits(one.length)))
    return rows


def grown(name: str, run: Run) -> list[dict[str, Any]]:
    """Return the powers of one subject beside theory."""
    points = run.of(name, back=False, width=64)
    found, held = fitting.slope(fitting.seconds(points)), fitting.slope(fitting.held(points))
    if found is None or held is None:
        return []
    setting = f"{name}, {found.first} to {found.last} tokens"
    interval = f"95 % interval {found.low:.2f} to {found.high:.2f}"
    away = abs(found.exponent - order(name))
    return [
        row(setting, f"power of time, {interval}", digits(found.exponent), peer=order(name)),
        row(setting, "power of time, away from theory", digits(away), wanted="<= 0.15"),
        row(setting, "power of memory", digits(held.exponent), peer=2 if name == PLAIN else 1),
    ]


def points_of(*units: Unit) -> dict[Unit, Point]:
    """Measure some units in this order."""
    coming = Forecast(units=tuple(Estimate(unit=unit, seconds=1.0, bytes=1) for unit in units), refused=())
    found = (one for one in measuring(coming, Settings(), "cpu") if isinstance(one, Point))
    return {point.unit: point for point in found}


def memory() -> list[dict[str, Any]]:
    """Measure in one order and in the other, and compare both counters where there is much to count."""
    units = [Unit(subject=name, length=length) for name in USUAL for length in (512, 64)]
    one, other = points_of(*units), points_of(*reversed(units))
    worst = max(abs(one[unit].bytes / other[unit].bytes - 1) for unit in units)
    apart = row(f"{len(USUAL)} subjects, 512 then 64 and 64 then 512", "memory apart", digits(worst), wanted="<= 0.03")
    large = Unit(subject=PLAIN, length=4096)
    point = points_of(large)[large]
    both = {"ours": point.bytes, "peer": point.resident, "ratio": digits((point.resident or 0) / point.bytes)}
    return [apart, row("plain, 4096 tokens", "resident over counted bytes", **both, wanted="<= 1.05")]


def refusing() -> list[dict[str, Any]]:
    """Ask for what cannot be done, twice."""
    said, began = [], time.perf_counter()
    for _ in range(2):
        try:
            forecast(Wanted(subjects=(PLAIN,), lengths=(65_536,)), Settings(), saved().values())
        except CoreError as refused:
            said.append((refused.key, refused.values))
    took = (time.perf_counter() - began) / 2 * 1000
    same = float(len(said) == 2 and said[0] == said[1])
    setting = "plain, 65536 tokens"
    return [
        row(setting, "gigabytes estimated", float(said[0][1]["came"]), floor=estimating.memory(Settings()) / 1e9),
        row(setting, "milliseconds until it is refused", digits(took), wanted="< 1000"),
        row(setting, "refused twice with the same words", same, wanted="== 1"),
    ]


def stopping() -> list[dict[str, Any]]:
    """End a measurement in its middle."""
    units = tuple(Estimate(unit=Unit(subject=PLAIN, length=4096), seconds=1.0, bytes=1) for _ in range(20))
    with closing(measuring(Forecast(units=units, refused=()), Settings(), "cpu")) as coming:
        next(one for one in coming if isinstance(one, Machine))
        began = time.perf_counter()
    took = (time.perf_counter() - began) * 1000
    return [row("plain, 4096 tokens", "milliseconds until the process is gone", digits(took), wanted="< 1000")]


def main() -> None:
    """Measure everything and write the results."""
    load = os.getloadavg()[0]
    rows = sweep(Path(sys.argv[1]) if sys.argv[1:] else None) + memory() + refusing() + stopping()
    save("cost", QUESTION, rows, how=f"load {load:.1f} when begun")


if __name__ == "__main__":
    main()
