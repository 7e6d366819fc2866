"""Analysis: a trace becomes small frozen results in numpy. Every function takes the trace first."""

from core.analysis.focus import Focus, Link, Piece, Sender, focus, pieces, senders
from core.analysis.maps import Maps, axes, cell, maps, one_map
from core.analysis.units import SPECIAL, UNITS, Units, units_of

__all__ = [
    "SPECIAL",
    "UNITS",
    "Focus",
    "Link",
    "Maps",
    "Piece",
    "Sender",
    "Units",
    "axes",
    "cell",
    "focus",
    "maps",
    "one_map",
    "pieces",
    "senders",
    "units_of",
]
