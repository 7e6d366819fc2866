"""One unit, measured: warmed up, its memory counted in one run, its time in several more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

import torch
from torch import nn

from core.measure.estimating import ENOUGH, FEWEST, MOST
from core.measure.results import Point, Unit
from core.measure.subjects import Prepared, prepared

SHORT = 64
STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")

Compute = Callable[[], Any]


def measured(unit: Unit, device: str) -> Point:
    """Return what a unit takes on a device.

    A short text warms the machine up; then come two runs of the whole length for the memory, and only then the clock.
    Of several runs the median is told, and the quartiles beside it.

    Raises:
        CoreError: what making the subject raises.
    """
    subject = prepared(unit, device)
    with torch.set_grad_enabled(unit.back):
        once = _whole(subject, min(SHORT, unit.length), unit)
        _run(once, subject, device)
        once = _whole(subject, unit.length, unit)
        resident, held = _memory(lambda: _run(once, subject, device), device)
        taken = _timed(once, subject, device)
    low, middle, high = quantiles(taken, n=4, method="inclusive")
    return Point(
        unit=unit,
        seconds=middle,
        low=low,
        high=high,
        times=len(taken),
        bytes=held,
        resident=resident,
        weights=subject.weights,
    )


def _whole(subject: Prepared, length: int, unit: Unit) -> Compute:
    """Return a run forward, or forward and backward from the sum of all that comes out."""
    forward = subject.run(length)
    if not unit.back:
        return forward

    def both() -> None:
        forward().sum().backward()

    return both


def _run(once: Compute, subject: Prepared, device: str) -> float:
    """Run once and return its seconds; gradients of the run before are no part of it."""
    _forget_gradients(subject.module)
    synchronise(device)
    began = perf_counter()
    once()
    synchronise(device)
    return perf_counter() - began


def _forget_gradients(module: nn.Module) -> None:
    module.zero_grad(set_to_none=True)


def _timed(once: Compute, subject: Prepared, device: str) -> list[float]:
    taken: list[float] = []
    while len(taken) < FEWEST or (sum(taken) < ENOUGH and len(taken) < MOST):
        taken.append(_run(once, subject, device))
    return taken


def synchronise(device: str) -> None:
    """Wait until a GPU has done what it was given; it works on after a call has returned."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def _memory(run: Compute, device: str) -> tuple[int | None, int]:
    """Return by how many bytes a run raises the memory of the process, where the system tells, and what PyTorch's
    allocator holds during another, at most, above what it held before.

    On a GPU the allocator counts for itself; on a processor its events are added up.
    """
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        run()
        return None, torch.cuda.max_memory_allocated(device) - before
    return risen(run), allocated(run)


def risen(run: Compute) -> int | None:
    """Return by how many bytes a run raises what the process has resident; None where the system does not tell."""
    before = _resident("VmRSS:")
    _forget_highest()
    run()
    highest = _resident("VmHWM:")
    return None if before is None or highest is None else max(0, highest - before)


def allocated(compute: Compute) -> int:
    """Return the most bytes that tensors made during a run held at once."""
    with torch.autograd.profiler.profile(profile_memory=True) as recorded:
        compute()
    now = most = 0
    for event in recorded.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most


def _resident(which: str) -> int | None:
    if not STATUS.is_file():
        return None
    lines = STATUS.read_text(encoding="ascii").splitlines()
    found = next((line for line in lines if line.startswith(which)), None)
    return None if found is None else int(found.split()[1]) * 1024


def _forget_highest() -> None:
    """Begin to look for the highest memory anew, where the system lets one."""
    if FORGET.exists():
        FORGET.write_text("5", encoding="ascii")
