"""Figures: numbers, labels and words become something to draw. Nothing here knows torch or the page."""

from core.figures.charts import bars, heatmap
from core.figures.columns import grouped_bars, signed_bars
from core.figures.curves import band, curves, high, most, signed_map
from core.figures.frame import frame, line_bytes, map_bytes
from core.figures.labels import below, occurrences
from core.figures.palettes import PALETTES

__all__ = [
    "PALETTES",
    "band",
    "bars",
    "below",
    "curves",
    "frame",
    "grouped_bars",
    "heatmap",
    "high",
    "line_bytes",
    "map_bytes",
    "most",
    "occurrences",
    "signed_bars",
    "signed_map",
]
