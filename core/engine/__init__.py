"""Engines: where models and traces live."""

from core.engine.engine import Engine, LocalEngine, Request, TraceRef
from core.engine.line import Waiting
from core.engine.writes import Searching, Wanted

__all__ = ["Engine", "LocalEngine", "Request", "Searching", "TraceRef", "Waiting", "Wanted"]
