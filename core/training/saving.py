"""What a training leaves behind: a folder that opens like any other, its snapshots, and where to go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from core.errors import CoreError
from core.models import Network
from core.training.loop import Training
from core.training.telling import spelled

STATE, HISTORY, STEPS = "unfinished.safetensors", "history.json", "steps"
MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True, kw_only=True)
class Folder:
    """Where a training is kept."""

    path: Path

    def begin(self, config: Mapping[str, Any], source: Tokenizer, target: Tokenizer) -> None:
        """Write what does not change while a model learns."""
        (self.path / STEPS).mkdir(parents=True, exist_ok=True)
        _write(self.path / "config.json", json.dumps(config, indent=2) + "\n")
        source.save(str(self.path / "tokenizer.json"))
        target.save(str(self.path / "target_tokenizer.json"))

    def snapshot(self, training: Training) -> None:
        """Save the numbers as they are now, also under the number of the step where a snapshot is due."""
        numbers = halves(training.model.network)
        if training.step in training.recipe.snapshots:
            _save(numbers, self.path / STEPS / f"{training.step:05}.safetensors", {})
        if training.step == training.recipe.steps:
            _save(numbers, self.path / "model.safetensors", {})

    def history(self, story: Mapping[str, Any]) -> None:
        """Write what is told of the training."""
        _write(self.path / HISTORY, spelled(story))

    def keep(self, training: Training, name: str) -> None:
        """Keep all that is needed to go on from here."""
        told = {"name": name, "seed": training.seed, "step": training.step, "losses": training.losses}
        _save(_state(training), self.path / STATE, {"told": json.dumps(told)})

    def resume(self, training: Training, name: str) -> None:
        """Go on where a training under this name was interrupted, if one was.

        Raises:
            CoreError: `training_differs` where another one was, or one with another seed.
        """
        path = self.path / STATE
        if not path.is_file():
            return
        with safe_open(path, framework="pt") as file:
            told = json.loads(file.metadata()["told"])
            if (told["name"], told["seed"]) != (name, training.seed):
                came = f"{name}, {training.seed}"
                raise CoreError("training_differs", came=came, allowed=f"{told['name']}, {told['seed']}")
            _restore(training, {key: file.get_tensor(key) for key in file.keys()})  # noqa: SIM118  it is no mapping
        training.step, training.losses = told["step"], told["losses"]

    def finish(self) -> None:
        """Forget where to go on."""
        (self.path / STATE).unlink(missing_ok=True)


def small(folder: Path, network: Network, config: Mapping[str, Any], words: Tokenizer, told: Mapping[str, Any]) -> None:
    """Leave a small model that was trained in one go as a folder that opens; what is told of it comes last, and says
    that it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(halves(network), folder / "model.safetensors", {})
    words.save(str(folder / "tokenizer.json"))
    _write(folder / "config.json", json.dumps(config, indent=2) + "\n")
    _write(folder / HISTORY, json.dumps(told, indent=1) + "\n")


def halves(network: Network) -> dict[str, Tensor]:
    """Return every parameter in half precision, shared ones once."""
    return {name: part.detach().to("cpu", torch.float16).contiguous() for name, part in network.named_parameters()}


def _state(training: Training) -> dict[str, Tensor]:
    """Return parameters and both moments of the optimiser in full precision."""
    found = {"step": torch.tensor(float(training.step))}
    for name, part in training.model.network.named_parameters():
        found[f"parameter.{name}"] = part.detach()
        for moment in MOMENTS:
            found[f"{moment}.{name}"] = training.optimiser.state[part][moment]
    return {name: tensor.cpu().contiguous() for name, tensor in found.items()}


@torch.no_grad()
def _restore(training: Training, state: Mapping[str, Tensor]) -> None:
    for name, part in training.model.network.named_parameters():
        part.copy_(state[f"parameter.{name}"])
    training.optimiser.load_state_dict(
        {
            "state": {
                number: {"step": state["step"].clone(), **{moment: state[f"{moment}.{name}"] for moment in MOMENTS}}
                for number, (name, _) in enumerate(training.model.network.named_parameters())
            },
            "param_groups": training.optimiser.state_dict()["param_groups"],
        }
    )


def _save(tensors: Mapping[str, Tensor], path: Path, told: Mapping[str, str]) -> None:
    """Write a file as a whole or not at all."""
    beside = path.with_suffix(".part")
    save_file(dict(tensors), beside, metadata=dict(told))
    beside.replace(path)


def _write(path: Path, text: str) -> None:
    beside = path.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
