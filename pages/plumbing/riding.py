"""What the page itself brings to the map where no route hands out single maps: an exact map, or exact rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from pages.plumbing import choice, doors

EXACT = 512 * 512


def exact_map(ref: core.TraceRef, drawn: Any) -> tuple[dict[str, Any], bytes] | None:
    """Return the exact map of the present choice and its chosen cell in every head; None where it is too large, or
    drawn exactly anyway."""
    chosen = choice.view().chosen
    if _exact(drawn) or drawn.blank(chosen.layer) or _large(drawn):
        return None
    told = {"layer": chosen.layer, "heads": list(chosen.heads)}
    found = doors.ask(ref, core.analysis.one_map, choice=chosen, **_drawing()).tobytes()
    if chosen.query is None or chosen.key is None:
        return told, found
    pair = {"query": chosen.query, "key": chosen.key}
    cells = doors.ask(ref, core.analysis.cell, side=chosen.side, **pair, **_drawing())
    return {**told, **pair}, found + cells.tobytes()


def exact_rows(ref: core.TraceRef, drawn: Any, pointed: object) -> list[dict[str, Any]]:
    """Return the exact rows of a map that is too large: that of the chosen token, and the one the pointer rests on.

    `pointed` is what the browser said, unchecked.
    """
    chosen = choice.view().chosen
    if not _large(drawn) or drawn.blank(chosen.layer):
        return []
    wanted = {drawn.rows.at(chosen.query), pointed if _within(pointed, len(drawn.rows)) else None} - {None}
    several = [(head,) for head in chosen.heads] if len(chosen.heads) > 1 else [chosen.heads]
    return [_row(ref, chosen, heads, row) for row in sorted(wanted) for heads in several]


def _row(ref: core.TraceRef, chosen: core.Choice, heads: tuple[int, ...], row: int) -> dict[str, Any]:
    there = core.Choice(side=chosen.side, layer=chosen.layer, heads=heads)
    found = doors.ask(ref, core.analysis.one_row, choice=there, row=row, **_drawing())
    shares = [float(f"{share:.9g}") for share in found]
    return {"layer": chosen.layer, "heads": list(heads), "row": row, "shares": shares}


def _exact(drawn: Any) -> bool:
    return bool(drawn.full and drawn.cells.dtype == np.float32)


def _large(drawn: Any) -> bool:
    return not _exact(drawn) and len(drawn.rows) * len(drawn.columns) > EXACT


def _within(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end


def _drawing() -> dict[str, str]:
    look = choice.view().look
    return {"units": look.units, "special": look.special}
