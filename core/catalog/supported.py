"""Which families open, and whether a folder would, before anything of its weights is read."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from core.catalog.entries import catalog
from core.catalog.folders import locate, open_folder, own_folder
from core.catalog.memory import memory_told
from core.catalog.opening import assemble, counted, fits
from core.errors import CoreError
from core.models import FAMILIES
from core.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Supported:
    """One family that opens: its `model_type`, and whether its GGUF form does too."""

    name: str
    gguf: bool


def families() -> tuple[Supported, ...]:
    """Return every family that opens, in the order of the alphabet."""
    return tuple(Supported(name=name, gguf=FAMILIES[name].gguf_architecture is not None) for name in sorted(FAMILIES))


def needed(name: str, settings: Settings) -> int:
    """Return the bytes of memory that a model takes once it is opened, its parameters in float32, as its config and the
    headers of its files tell. Opening takes hardly more: nothing is held twice but a few rows at a time.

    Raises:
        CoreError: what speaks against opening it, as far as that can be known before its weights are read, and
            `memory_ended` where there is no memory to look.
    """
    with memory_told("memory_ended", model=name):
        return _needed(name, settings)


def _needed(name: str, settings: Settings) -> int:
    entry = next((entry for entry in catalog() if entry.name == name), None)
    folder = locate(entry) if entry else own_folder(name, settings.models_root)
    source = open_folder(folder, entry.weights if entry else None)
    plan, network = assemble(source)
    count = counted(source, plan, network)
    fits(count, torch.float32, settings)
    if not (plan.spec.signal or source.from_gguf or (folder / "tokenizer.json").is_file()):
        source.tokenizer()
    return count * torch.float32.itemsize


def refusal(name: str, settings: Settings) -> CoreError | None:
    """Return why a model does not open, as far as its config and the headers of its files tell; None where nothing
    speaks against it."""
    try:
        needed(name, settings)
    except CoreError as refused:
        return refused
    return None
