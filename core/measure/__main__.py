"""`python -m core.measure --out FILE`: measure on this machine and save the run, or add to one that is saved."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from core.catalog.opening import choose_device
from core.errors import CoreError
from core.measure.estimating import Wanted, forecast, steps
from core.measure.process import measuring
from core.measure.results import Machine, Point, Run, read, saved, write
from core.measure.subjects import NAMES, USUAL
from core.settings import from_environment

LONGEST = 16_384


def main(arguments: list[str] | None = None) -> int:
    """Measure what is asked for, write the run, and return 0; 1 where it is refused."""
    given = _parser().parse_args(arguments)
    subjects = {"usual": USUAL, "all": NAMES}.get(given.subjects, tuple(given.subjects.split(",")))
    wanted = Wanted(subjects=subjects, lengths=steps(given.longest), back=given.back, width=given.width, skip=True)
    try:
        run = measured(wanted, given.device)
    except CoreError as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    write(read(given.out).joined(run) if given.out.is_file() else run, given.out)
    return 0


def measured(wanted: Wanted, device: str = "auto") -> Run:
    """Measure, telling each point on the standard error as it comes.

    Raises:
        CoreError: what `forecast` raises.
    """
    settings, began = from_environment(), time.monotonic()
    coming = forecast(wanted, settings, saved().values())
    sys.stderr.write(f"{coming.seconds:.0f} s, {coming.bytes / 1e9:.2f} GB\n")
    machine, points = None, []
    for one in measuring(coming, settings, str(choose_device(device))):
        if isinstance(one, Machine):
            machine = one
        elif isinstance(one, Point):
            points.append(one)
            said = f"{time.monotonic() - began:6.1f}  {one.unit.subject:14} {one.unit.length:6} {one.outcome}"
            sys.stderr.write(f"{said} {one.seconds * 1000:.3f} ms {one.bytes:,}\n")
    if machine is None:
        raise CoreError("measure_ended")
    return Run(machine=machine, points=tuple(points))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.measure", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--subjects", default="usual")
    parser.add_argument("--longest", type=int, default=LONGEST)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--back", action="store_true")
    parser.add_argument("--device", default="auto")
    return parser


if __name__ == "__main__":
    sys.exit(main())
