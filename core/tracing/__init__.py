"""Tracing: model and Sample become a Trace."""

from core.tracing.pooling import Grouping, identity, pooled
from core.tracing.trace import Trace
from core.tracing.tracing import BatchTrace, trace, with_target

__all__ = ["BatchTrace", "Grouping", "Trace", "identity", "pooled", "trace", "with_target"]
