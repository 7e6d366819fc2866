"""The catalogue: models by name, and how any model is opened."""

from core.catalog.entries import Entry, catalog, entry_of
from core.catalog.folders import own_folders
from core.catalog.opening import open_model
from core.catalog.report import LoadReport
from core.catalog.supported import Supported, families, needed, refusal

__all__ = [
    "Entry",
    "LoadReport",
    "Supported",
    "catalog",
    "entry_of",
    "families",
    "needed",
    "open_model",
    "own_folders",
    "refusal",
]
