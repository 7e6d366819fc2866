"""Numbers as people read them and as a spreadsheet takes them. Knows no Streamlit."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from math import isfinite, isnan
from typing import Any

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Columns = Mapping[str, Any]


def measured(value: float) -> str:
    """Write a measured number shortly, a very small or large one with its power of ten."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}".replace("-", "−")
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}".replace("-", "−")


def amount(count: int) -> str:
    """Write a number of bytes with a unit that leaves digits before the point."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"


def numbered(labels: Sequence[object]) -> list[str]:
    """Return labels with their places, so that no two are alike; numbers that are their own place stay."""
    return [label if label == str(place) else f"{place}  {label}" for place, label in enumerate(map(str, labels))]


def sheet(columns: Columns) -> str:
    """Write columns as CSV, one below each name; a column that ends earlier leaves the rest empty.

    Nine digits give every float32 back exactly; what is not a number stays empty.
    """
    longest = max(len(values) for values in columns.values())
    rows = ([_spelled(values[n]) if n < len(values) else "" for values in columns.values()] for n in range(longest))
    out = io.StringIO()
    csv.writer(out).writerows([[*columns], *rows])
    return out.getvalue()


def grid(first: str, rows: Sequence[object], columns: Sequence[object], cells: Any) -> dict[str, Any]:
    """Return a map [row, column] as the columns of a sheet, its rows named in the first; equal names are kept apart by
    their places."""
    names = list(map(str, columns))
    apart = names if len(set(names)) == len(names) else numbered(names)
    return {first: list(rows), **dict(zip(apart, cells.T, strict=True))}


def shape(chart: Any) -> str:
    """Return how many numbers a chart shows: rows and columns of a map, or how many curves or bars of how many."""
    first = chart.data[0]
    if first.type == "heatmap":
        return " × ".join(map(str, first.z.shape))
    return " × ".join(map(str, (*((len(chart.data),) if len(chart.data) > 1 else ()), len(first.y))))


def _spelled(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    return "" if isnan(value) else f"{float(value):.9g}"
