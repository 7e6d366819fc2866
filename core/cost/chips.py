"""Chips by their published peaks, and the roof that these put over any program: it computes no faster than the chip
computes, and no faster than what it needs is read (Williams et al. 2009, "Roofline", section 3)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.cost.work import Number

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "cost"


@dataclass(frozen=True, kw_only=True)
class Chip:
    """A chip: operations a second for products of matrices in its number `format`, bytes a second that its memory can
    be read, bytes of memory; `address` is where that was read. `measured` is true for a machine whose numbers were
    taken here; `source` says when."""

    name: str
    title: str
    format: str
    operations: Number
    bandwidth: Number
    memory: Number
    address: str = ""
    measured: bool = False
    source: str = ""

    @property
    def ridge(self) -> Number:
        """Operations per byte from which on arithmetic is what a program waits for."""
        return self.operations / self.bandwidth

    def roof(self, intensity: Number) -> Number:
        """Return the most operations a second of a program that computes so many for every byte it reads."""
        return min(self.operations, intensity * self.bandwidth)

    def seconds(self, operations: Number, read: Number) -> Number:
        """Return the least time for some operations and some bytes that are read."""
        return max(operations / self.operations, read / self.bandwidth)


@cache
def chips() -> tuple[Chip, ...]:
    """Return the named chips, in the order of the file."""
    told = tomllib.loads((ASSETS / "chips.toml").read_text(encoding="utf-8"))
    return tuple(Chip(**row) for row in told["chip"])
