"""Measuring: time and memory against length, in a process of its own, and what the curves say."""

from core.measure.estimating import Estimate, Forecast, Wanted, forecast, memory, steps
from core.measure.fitting import Crossing, Doubling, Slope, crossings, doublings, held, interpolated, seconds, slope
from core.measure.process import measuring
from core.measure.results import LONG, MEMORY, REFUSED, Machine, Point, Run, Unit, read, saved, told_of, write
from core.measure.subjects import NAMES, PLAIN, SERIAL, USUAL, WIDTHS, models, order

__all__ = [
    "LONG",
    "MEMORY",
    "NAMES",
    "PLAIN",
    "REFUSED",
    "SERIAL",
    "USUAL",
    "WIDTHS",
    "Crossing",
    "Doubling",
    "Estimate",
    "Forecast",
    "Machine",
    "Point",
    "Run",
    "Slope",
    "Unit",
    "Wanted",
    "crossings",
    "doublings",
    "forecast",
    "held",
    "interpolated",
    "measuring",
    "memory",
    "models",
    "order",
    "read",
    "saved",
    "seconds",
    "slope",
    "steps",
    "told_of",
    "write",
]
