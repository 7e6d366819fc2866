"""How much memory there is for a model."""

from __future__ import annotations

import sys
from pathlib import Path

KIBIBYTE = 1 << 10


def available(meminfo: Path = Path("/proc/meminfo")) -> int:
    """Return the bytes that can be taken without swapping, as Linux estimates them; no bound where nobody says."""
    if not meminfo.is_file():
        return sys.maxsize
    found = (line.split()[1] for line in meminfo.read_text().splitlines() if line.startswith("MemAvailable:"))
    return int(next(found, sys.maxsize // KIBIBYTE)) * KIBIBYTE
