"""What comes along with the project itself: the weights in assets, and the checksums in their manifest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[2] / "assets"
WEIGHTS = ASSETS / "weights"


@cache
def checksums() -> Mapping[Path, str]:
    """Return the SHA-256 of every file in the manifest of assets."""
    rows = tomllib.loads((ASSETS / "manifest.toml").read_text(encoding="utf-8"))["file"]
    return {ASSETS.parent / row["path"]: row["sha256"] for row in rows}
