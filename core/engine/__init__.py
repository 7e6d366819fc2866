"""Engines: where models and traces live."""

from core.engine.choosing import begin
from core.engine.engine import LocalEngine
from core.engine.interface import Engine
from core.engine.line import Waiting
from core.engine.tally import BOUNDS, Kept, Phase, Vitals
from core.engine.tickets import Request, TraceRef
from core.engine.writes import Searching, Wanted

__all__ = [
    "BOUNDS",
    "Engine",
    "Kept",
    "LocalEngine",
    "Phase",
    "Request",
    "Searching",
    "TraceRef",
    "Vitals",
    "Waiting",
    "Wanted",
    "begin",
]
