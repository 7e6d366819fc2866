"""How far one computation raises a process's memory: run alone, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
MEGABYTE = 1_000_000


def resident(peak: bool = False) -> int:
    """Return the bytes of memory that this process holds now, or has held at most since `forget`."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith(wanted))
    return int(line.split()[1]) * 1024


def forget() -> None:
    """Begin to look for the highest memory anew."""
    FORGET.write_text("5", encoding="ascii")


def raised(compute: Callable[[], Any]) -> int:
    """Return how many bytes `compute` raises the highest memory above what is held before it; its result is kept."""
    forget()
    before = resident()
    kept = compute()
    highest = resident(peak=True)
    del kept
    return highest - before


def apart(module: str, *arguments: str) -> dict[str, Any]:
    """Run `python -m module arguments` as a fresh process and return the JSON of its last line."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
