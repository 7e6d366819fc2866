"""Numbers as people read them and as a spreadsheet takes them. Knows no Streamlit."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from math import isfinite
from typing import Any

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def measured(value: float) -> str:
    """Write a measured number shortly, a very small or large one with its power of ten."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}".replace("-", "−")
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}".replace("-", "−")


def sheet(columns: Mapping[str, Any]) -> str:
    """Write columns as CSV, one below each name; a column that ends earlier leaves the rest empty."""
    longest = max(len(values) for values in columns.values())
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for place in range(longest):
        writer.writerow([_spelled(values[place]) if place < len(values) else "" for values in columns.values()])
    return out.getvalue()


def _spelled(value: Any) -> str:
    return f"{float(value):.9g}" if not isinstance(value, str | int) else str(value)
