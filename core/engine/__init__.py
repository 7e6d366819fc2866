"""Engines: where models and traces live."""

from core.engine.engine import Engine, LocalEngine, Request, TraceRef
from core.engine.line import Waiting
from core.engine.tally import BOUNDS, Kept, Stage, Vitals
from core.engine.writes import Searching, Wanted

__all__ = [
    "BOUNDS",
    "Engine",
    "Kept",
    "LocalEngine",
    "Request",
    "Searching",
    "Stage",
    "TraceRef",
    "Vitals",
    "Waiting",
    "Wanted",
]
