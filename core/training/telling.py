"""What is told of a training: how it was done, and how the loss fell."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import torch
from torch import nn

from core.training.loop import Training
from core.training.loss import floor

NUMBERS = re.compile(r"\[\s+([-\d.e,\s]+?)\s+\]")
EVERY = 25  # steps that share one point of the curve


def story(training: Training, name: str, *, seconds: float) -> dict[str, Any]:
    """Return what stands in history.json; `seconds` are those of the processor since the training was last begun.

    `loss` has [step, mean loss since the point before]; nobody gets below `floor`.
    """
    recipe, spec = training.recipe, training.model.spec
    command = f"python -m core.training {name} --seed {training.seed}"
    return {
        **account(name, command, training.seed, training.model.network),
        "pairs": recipe.pairs,
        "steps": training.step,
        "snapshots": [step for step in recipe.snapshots if step <= training.step],
        "seconds": round(seconds, 1),
        "floor": round(floor(recipe.smoothing, spec.written_pieces), 4),
        "loss": curve(training.losses),
    }


def account(name: str, command: str, seed: int, network: nn.Module) -> dict[str, Any]:
    """Return what is told of every training: which, how, when and where, and how many numbers were trained."""
    kind = next(network.parameters()).device.type
    return {
        "name": name,
        "command": command,
        "seed": seed,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {kind}, {torch.get_num_threads()} threads",
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "parameters": sum(part.numel() for part in network.parameters()),
    }


def spelled(told: Mapping[str, Any]) -> str:
    """Return what is told as JSON that a person can read: lists of numbers stand in one line."""
    text = json.dumps(told, indent=1, ensure_ascii=False)
    return NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def curve(losses: Sequence[float], every: int = EVERY) -> list[list[float]]:
    """Return [step, mean loss of the steps up to it] for every few steps, and for the last."""
    parts = [losses[start : start + every] for start in range(0, len(losses), every)]
    return [[number * every + len(part), round(sum(part) / len(part), 4)] for number, part in enumerate(parts)]
