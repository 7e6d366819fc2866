"""Heads Up's Transformer package: a sentence goes in, every number of every attention head can be looked at.

These names are the front door; pages and notebooks need no others.
"""

import core.waiting  # noqa: F401  before torch is loaded
from core import analysis, changes, cost, engine, figures, measure, runs, serving
from core.catalog import Entry, LoadReport, Supported, catalog, families, needed, open_model, own_folders, refusal
from core.choice import Choice
from core.decoding import Choosing, Step, Tree, branch, generate, search, stitched, together
from core.engine import TraceRef
from core.errors import CoreError
from core.inputs import Batch, Sample, read
from core.models import Model
from core.tracing import BatchTrace, Trace, trace

__all__ = [
    "Batch",
    "BatchTrace",
    "Choice",
    "Choosing",
    "CoreError",
    "Entry",
    "LoadReport",
    "Model",
    "Sample",
    "Step",
    "Supported",
    "Trace",
    "TraceRef",
    "Tree",
    "analysis",
    "branch",
    "catalog",
    "changes",
    "cost",
    "engine",
    "families",
    "figures",
    "generate",
    "measure",
    "needed",
    "open_model",
    "own_folders",
    "read",
    "refusal",
    "runs",
    "search",
    "serving",
    "stitched",
    "together",
    "trace",
]
