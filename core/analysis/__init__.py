"""Analysis: a trace becomes small frozen results in numpy. Every function takes the trace first."""

from core.analysis import order, schemes
from core.analysis.focus import Focus, Link, Piece, Sender, focus, pieces, senders
from core.analysis.maps import Maps, axes, cell, maps, one_map
from core.analysis.offsets import Offsets, Positional, offsets, positional
from core.analysis.units import SPECIAL, UNITS, Units, units_of

__all__ = [
    "SPECIAL",
    "UNITS",
    "Focus",
    "Link",
    "Maps",
    "Offsets",
    "Piece",
    "Positional",
    "Sender",
    "Units",
    "axes",
    "cell",
    "focus",
    "maps",
    "offsets",
    "one_map",
    "order",
    "pieces",
    "positional",
    "schemes",
    "senders",
    "units_of",
]
