"""How much memory there is for a model or a run, and how it is told that it ran out."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch

from core.errors import CoreError

KIBIBYTE = 1 << 10
NO_MEMORY = ("CPUAllocator:", os.strerror(errno.ENOMEM))  # how PyTorch says it on a processor, and safetensors
MEMINFO, GROUP, GROUPS = Path("/proc/meminfo"), Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def available(meminfo: Path = MEMINFO, group: Path = GROUP, groups: Path = GROUPS) -> int:
    """Return the bytes that can be taken without swapping, as Linux estimates them, and within the limits of the
    container or service that this process is in; no bound where nobody says."""
    found = (line.split()[1] for line in _lines(meminfo) if line.startswith("MemAvailable:"))
    machine = int(next(found, sys.maxsize // KIBIBYTE)) * KIBIBYTE
    own = next((line.removeprefix("0::/") for line in _lines(group) if line.startswith("0::/")), "")
    inside = groups / own
    return min(machine, *(_left(folder) for folder in (inside, *inside.parents) if folder.is_relative_to(groups)))


def _left(group: Path) -> int:
    """Return what a control group (version 2) may still take: what it keeps of files is given back when needed."""
    limit = "".join(_lines(group / "memory.max"))
    if not limit.isdecimal():
        return sys.maxsize
    files = (line.split()[1] for line in _lines(group / "memory.stat") if line.startswith("inactive_file "))
    used = int("".join(_lines(group / "memory.current")) or 0) - int(next(files, 0))
    return max(0, int(limit) - used)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


@contextmanager
def memory_told(key: str, **values: object) -> Iterator[None]:
    """Refuse with a key where memory runs out, which is raised in four ways; every other failure stays what it is."""
    try:
        yield
    except (MemoryError, RuntimeError, OSError) as failed:
        if not _of_memory(failed):
            raise
        raise CoreError(key, **values) from failed


def _of_memory(failed: BaseException) -> bool:
    """Tell whether memory ran out."""
    if isinstance(failed, OSError):
        return failed.errno == errno.ENOMEM
    return isinstance(failed, MemoryError | torch.OutOfMemoryError) or any(words in str(failed) for words in NO_MEMORY)


def give_back() -> None:
    """Hand what was freed back to the system, where the C library can be told to: what was read and put into its place
    would otherwise be kept for later, a hundred megabytes of it."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
