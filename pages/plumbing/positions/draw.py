"""A figure of the Positions page, and its numbers as the columns of a sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages.plumbing import drawn, sheets


def figure(chart: Any, name: str, source: str, numbers: Mapping[str, Any]) -> None:
    """Show a chart, the message that names its source, and its numbers to take along."""
    drawn.figure(chart, f"positions.{name}", source, numbers)


def grid(cells: Any, rows: Sequence[object], columns: Sequence[object]) -> dict[str, Any]:
    """Return a map as columns; what is masked stays empty."""
    return sheets.grid("", list(map(str, rows)), columns, cells)
