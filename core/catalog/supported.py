"""Which families open, and whether a folder would, before anything of its weights is read."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from core.catalog.folders import open_folder, own_folder
from core.catalog.opening import assemble, fits
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


def refusal(name: str, settings: Settings) -> CoreError | None:
    """Return why a folder under the models root does not open, as far as its config and the headers of its files tell;
    None where nothing speaks against it."""
    try:
        folder = own_folder(name, settings.models_root)
        source = open_folder(folder)
        plan, network = assemble(source)
        fits(network, torch.float32, settings)
        if not (plan.spec.signal or source.from_gguf or (folder / "tokenizer.json").is_file()):
            source.tokenizer()
    except CoreError as refused:
        return refused
    return None
