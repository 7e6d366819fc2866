"""The checksum of weights files."""

from __future__ import annotations

import hashlib
from pathlib import Path


def checksum(*paths: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; of several files, the SHA-256 of theirs."""
    sums = [_of_one(path) for path in paths]
    return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()


def _of_one(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
