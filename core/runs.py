"""Saved runs: small models that were trained here once and what was measured of them, with command, machine and date.

The recall experiment (`core.training.recall`) and the models of one layer that learned the same made-up English
(`core.training.sentences`) lie in assets/weights; how deep one can stack (`core.training.stacking`) and how long it
takes (`tools.time_mixers`) in assets/runs/mixers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from core.catalog.opening import open_model
from core.catalog.shipped import WEIGHTS
from core.errors import CoreError
from core.inputs import Sample
from core.mixers import MIXERS
from core.models import Model
from core.settings import from_environment

RECALL, SENTENCES = WEIGHTS / "recall", WEIGHTS / "mixers"
MEASURED = WEIGHTS.parent / "runs" / "mixers"
KEYS = 64
LEARNT = 1.0  # nats a word below what frequencies alone leave, from which a stack counts as one that trains


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The share of questions answered rightly in texts of `length` symbols that told `pairs` keys with their values."""

    length: int
    pairs: int
    right: float


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """One run of the recall experiment.

    `state` has the bytes kept of a text (float32) by its length, `induction` the share of right answers by length;
    `mixers` are those of the layers. `command`, `machine` and `date` say how and where, `seconds` how long (processor).
    """

    name: str
    seed: int
    mixers: tuple[str, ...]
    parameters: int
    steps: int
    recall: tuple[Answered, ...]
    induction: tuple[tuple[int, float], ...]
    state: tuple[tuple[int, int], ...]
    loss: tuple[tuple[int, float], ...]
    command: str
    machine: str
    date: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Taught:
    """One model of one layer: which mixer, how large, and its loss (nats a word) on sentences that it was never
    taught."""

    name: str
    parameters: int
    never_taught: float
    command: str
    machine: str
    date: str


@dataclass(frozen=True, kw_only=True)
class Stacked:
    """Stacks of one mixer, bare or with a residual and a norm `around` each: the loss (nats a word, on sentences never
    taught; infinite where numbers left their range) by depth, beside what knowing only how `frequent` each word is
    leaves."""

    name: str
    around: bool
    losses: tuple[tuple[int, float], ...]
    frequent: float
    steps: int
    command: str
    machine: str
    date: str

    @property
    def deepest(self) -> int | None:
        """The deepest of them that trains, a nat below what frequencies alone leave; None where none does."""
        return max((depth for depth, loss in self.losses if loss < self.frequent - LEARNT), default=None)


@dataclass(frozen=True, kw_only=True)
class Clocked:
    """Seconds that a mixer takes for `length` positions, all `together` and one after another (`apart`), and the share
    of the time that goes into `products` of matrices."""

    name: str
    length: int
    together: float
    apart: float
    products: float
    command: str
    machine: str
    date: str


@cache
def recall() -> tuple[Recalled, ...]:
    """Return every saved run of the recall experiment, by name and seed."""
    return tuple(_recalled(_history(folder)) for folder in sorted(RECALL.glob("*-*")))


@cache
def sentences() -> tuple[Taught, ...]:
    """Return the models of one layer, in the order of the table of mixers."""
    names = [kind.name for kind in MIXERS if (SENTENCES / kind.name / "history.json").is_file()]
    return tuple(_taught(_history(SENTENCES / name)) for name in names)


@cache
def stacks() -> tuple[Stacked, ...]:
    """Return how deep each mixer was stacked, bare and otherwise."""
    told = _measured("stacks")
    each = ((one["name"], one["around"], one["depth"], one["never_taught"]) for one in told.get("stacks", ()))
    every = [(*its, inf if loss is None else loss) for *its, loss in each]
    kinds = dict.fromkeys((name, around) for name, around, *_ in every)
    said = {name: told[name] for name in ("steps", "command", "machine", "date") if told}
    return tuple(
        Stacked(
            name=kind[0],
            around=kind[1],
            losses=tuple(sorted((depth, loss) for *its, depth, loss in every if tuple(its) == kind)),
            frequent=told["frequencies"],
            **said,
        )
        for kind in kinds
    )


@cache
def times() -> tuple[Clocked, ...]:
    """Return how long mixers took."""
    told = _measured("times")
    said = {name: told[name] for name in ("length", "command", "machine", "date") if told}
    return tuple(Clocked(**one, **said) for one in told.get("times", ()))


@cache
def contestant(name: str) -> Model:
    """Open a contestant of the recall experiment (the one trained from seed 0).

    Raises:
        CoreError: `unknown_choice`.
    """
    return _opened(RECALL, f"{name}-0", name)


@cache
def taught(name: str) -> Model:
    """Open the model of one layer with this mixer.

    Raises:
        CoreError: `unknown_choice`.
    """
    return _opened(SENTENCES, name, name)


def paired(told: tuple[tuple[str, str], ...], asked: str) -> Sample:
    """Return pairs of words and a question as symbols of the recall experiment, labelled with the words.

    Every key stands for one of the 64 keys that contestants know, every value for one of the 64 values, by the order in
    which they come.

    Raises:
        CoreError: `pairs_count` for none or more than 64, `pairs_asked` for a key that was not told.
    """
    keys, values = list(dict.fromkeys(key for key, _ in told)), list(dict.fromkeys(value for _, value in told))
    if not 0 < len(keys) <= KEYS or len(values) > KEYS:
        raise CoreError("pairs_count", came=max(len(keys), len(values)), allowed=KEYS)
    if asked not in keys:
        raise CoreError("pairs_asked", came=asked[:80], allowed=", ".join(keys)[:200])
    ids = [number for key, value in told for number in (1 + keys.index(key), 1 + KEYS + values.index(value))]
    labels = [word for pair in told for word in pair]
    found = Sample.from_ids([*ids, 1 + keys.index(asked)])
    return replace(found, labels=(*labels, asked), pieces=(*labels, asked))


def _opened(root: Path, folder: str, name: str) -> Model:
    known = sorted(path.parent.name for path in root.glob("*/model.safetensors"))
    if folder not in known:
        raise CoreError("unknown_choice", came=name[:80], allowed=", ".join(known))
    return open_model(root / folder, settings=replace(from_environment(), models_root=None))


def _measured(name: str) -> Mapping[str, Any]:
    path = MEASURED / f"{name}.json"
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _history(folder: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    return found


def _recalled(told: Mapping[str, Any]) -> Recalled:
    return Recalled(
        name=told["name"],
        seed=told["seed"],
        mixers=tuple(told["config"]["mixers"]),
        parameters=told["parameters"],
        steps=told["steps"],
        recall=tuple(Answered(length=length, pairs=pairs, right=right) for length, pairs, right in told["recall"]),
        induction=tuple((length, right) for length, right in told["induction"]),
        state=tuple((length, held) for length, held in told["state"]),
        loss=tuple((step, loss) for step, loss in told["loss"]),
        **{name: told[name] for name in ("command", "machine", "date", "seconds")},
    )


def _taught(told: Mapping[str, Any]) -> Taught:
    return Taught(**{name: told[name] for name in Taught.__dataclass_fields__})
