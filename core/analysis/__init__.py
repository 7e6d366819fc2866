"""Analysis: a trace becomes small frozen results in numpy. Every function takes the trace first."""

from core.analysis import depth, flow, held, knobs, order, projections, schemes, shuffles, stacks, writing
from core.analysis.cells import Cell, Explained, Moved, explain, weighted
from core.analysis.focus import Focus, Link, Piece, Sender, focus, pieces, senders
from core.analysis.lines import one_column, one_row
from core.analysis.maps import Maps, axes, cell, maps, one_map
from core.analysis.matching import matches
from core.analysis.offsets import Offsets, Positional, offsets, positional
from core.analysis.striking import Striking, striking
from core.analysis.units import SPECIAL, UNITS, Units, units_of

__all__ = [
    "SPECIAL",
    "UNITS",
    "Cell",
    "Explained",
    "Focus",
    "Link",
    "Maps",
    "Moved",
    "Offsets",
    "Piece",
    "Positional",
    "Sender",
    "Striking",
    "Units",
    "axes",
    "cell",
    "depth",
    "explain",
    "flow",
    "focus",
    "held",
    "knobs",
    "maps",
    "matches",
    "offsets",
    "one_column",
    "one_map",
    "one_row",
    "order",
    "pieces",
    "positional",
    "projections",
    "schemes",
    "senders",
    "shuffles",
    "stacks",
    "striking",
    "units_of",
    "weighted",
    "writing",
]
