"""Engines: where models and traces live."""

from core.engine.engine import Engine, LocalEngine, Request, TraceRef

__all__ = ["Engine", "LocalEngine", "Request", "TraceRef"]
