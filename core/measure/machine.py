"""This machine: what it is called, and what it reaches at best."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import torch

from core.measure.clocks import synchronise
from core.measure.results import Machine

PACKAGES = ("torch", "numpy")
LISTED = Path("/proc/cpuinfo")
SIDE, TALL, WIDE, TIMES = 2048, 16_384, 4096, 5


def machine(device: str) -> Machine:
    """Return this machine, without what it reaches."""
    gpu = device.startswith("cuda")
    return Machine(
        name=", ".join((f"{platform.system()} {processor()}", f"{os.cpu_count()} cores")),
        device=torch.cuda.get_device_name(device) if gpu else device,
        threads=torch.get_num_threads(),
        versions={name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )


def processor() -> str:
    """Return the processor's own name where the system tells it."""
    lines = LISTED.read_text(encoding="utf-8").splitlines() if LISTED.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


@torch.no_grad()
def reached(device: str) -> tuple[float, float]:
    """Return the operations a second of a product of two matrices [2048, 2048], and the bytes a second that a product
    of a matrix [16384, 4096] with a vector reads, float32: the best of several runs (Williams et al. 2009, "Roofline",
    section 3)."""
    square = torch.ones(SIDE, SIDE, device=device)
    tall, vector = torch.ones(TALL, WIDE, device=device), torch.ones(WIDE, device=device)
    return 2 * SIDE**3 / _best(square, square, device), 4 * TALL * WIDE / _best(tall, vector, device)


def _best(one: torch.Tensor, other: torch.Tensor, device: str) -> float:
    taken = []
    for _ in range(TIMES + 1):
        synchronise(device)
        began = perf_counter()
        torch.matmul(one, other)
        synchronise(device)
        taken.append(perf_counter() - began)
    return min(taken[1:])
