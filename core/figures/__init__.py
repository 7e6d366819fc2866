"""Figures: numbers, labels and words become something to draw. Nothing here knows torch or the page."""

from core.figures.amounts import lying_bars
from core.figures.charts import bars, heatmap
from core.figures.columns import grouped_bars
from core.figures.curves import band, curves, high, most, signed_map
from core.figures.descent import descent
from core.figures.frame import frame, line_bytes, map_bytes
from core.figures.labels import below, marked, occurrences
from core.figures.memory import blocks, layers, rods
from core.figures.palettes import PALETTES
from core.figures.scaling import beside, scaling
from core.figures.sketches import Sketch, part_map, score_map, signed_bars, text_table, token_bars, token_map
from core.figures.spreads import dots, small_map, spreads
from core.figures.sweeps import Curve, sweeps
from core.figures.trees import tree

__all__ = [
    "PALETTES",
    "Curve",
    "Sketch",
    "band",
    "bars",
    "below",
    "beside",
    "blocks",
    "curves",
    "descent",
    "dots",
    "frame",
    "grouped_bars",
    "heatmap",
    "high",
    "layers",
    "line_bytes",
    "lying_bars",
    "map_bytes",
    "marked",
    "most",
    "occurrences",
    "part_map",
    "rods",
    "scaling",
    "score_map",
    "signed_bars",
    "signed_map",
    "small_map",
    "spreads",
    "sweeps",
    "text_table",
    "token_bars",
    "token_map",
    "tree",
]
