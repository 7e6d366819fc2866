"""Analysis: a trace becomes small frozen results in numpy. Every function takes the trace first."""

from core.analysis import (
    causal,
    counted,
    depth,
    flow,
    forgetting,
    held,
    knobs,
    mixers_cost,
    order,
    projections,
    rows,
    schemes,
    shuffles,
    spending,
    stacks,
    timing,
    writing,
)
from core.analysis.cells import Cell, Explained, Moved, explain, weighted
from core.analysis.filling import Filling, filling
from core.analysis.focus import Focus, Link, Piece, Sender, focus, pieces, senders
from core.analysis.influence import Gates, Taken, gates, influence
from core.analysis.lines import one_column, one_row
from core.analysis.maps import Maps, axes, cell, maps, one_map
from core.analysis.matching import matches
from core.analysis.offsets import Offsets, Positional, offsets, positional
from core.analysis.recalling import Recall, recalled
from core.analysis.striking import Striking, striking
from core.analysis.units import SPECIAL, UNITS, Units, units_of

__all__ = [
    "SPECIAL",
    "UNITS",
    "Cell",
    "Explained",
    "Filling",
    "Focus",
    "Gates",
    "Link",
    "Maps",
    "Moved",
    "Offsets",
    "Piece",
    "Positional",
    "Recall",
    "Sender",
    "Striking",
    "Taken",
    "Units",
    "axes",
    "causal",
    "cell",
    "counted",
    "depth",
    "explain",
    "filling",
    "flow",
    "focus",
    "forgetting",
    "gates",
    "held",
    "influence",
    "knobs",
    "maps",
    "matches",
    "mixers_cost",
    "offsets",
    "one_column",
    "one_map",
    "one_row",
    "order",
    "pieces",
    "positional",
    "projections",
    "recalled",
    "rows",
    "schemes",
    "senders",
    "shuffles",
    "spending",
    "stacks",
    "striking",
    "timing",
    "units_of",
    "weighted",
    "writing",
]
