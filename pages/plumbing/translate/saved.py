"""What was written down when the models were trained: how, how the loss fell, and what was measured. Knows no
Streamlit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import core
from pages.plumbing import doors
from pages.plumbing.state import OPENING
from pages.plumbing.translate.language import ASSETS

RUNS = ASSETS / "runs" / "training"


@dataclass(frozen=True, kw_only=True)
class Story:
    """What is told of one training; whatever is not told is empty."""

    told: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Under which name it was trained."""
        return str(self.told.get("name", ""))

    @property
    def command(self) -> str:
        """What to run to train it again."""
        return str(self.told.get("command", ""))

    @property
    def loss(self) -> tuple[list[int], list[float]]:
        """Steps, and the mean loss of the steps up to each."""
        points = self.told.get("loss") or []
        return [int(step) for step, _ in points], [float(loss) for _, loss in points]

    @property
    def floor(self) -> float | None:
        """The loss below which nobody gets, since the targets are smoothed."""
        return self.told.get("floor")

    @property
    def snapshots(self) -> tuple[int, ...]:
        """The steps of which the weights were kept."""
        return tuple(self.told.get("snapshots") or ())

    @property
    def threshold(self) -> float | None:
        """The probability of its least likely word under which a translation is called unsure."""
        found: float | None = self.find("measured", "confidence", "threshold")
        return found

    def find(self, *path: str) -> Any:
        """Return what stands at a place, None where there is nothing."""
        found: Any = self.told
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    def telling(self, looks: str) -> tuple[int, int] | None:
        """Return layer and head of the encoder's head that tells the noun that is meant best from the other one.

        `looks` is "it" or "adjective", whoever looks.
        """
        heads: Sequence[Sequence[Mapping[str, float]]] = self.find("measured", "heads", looks) or []
        places = [(layer, head) for layer, row in enumerate(heads) for head in range(len(row))]
        return max(places, key=lambda at: _leads(heads[at[0]][at[1]]), default=None)

    def preferred(self, looks: str) -> float | None:
        """Return in how many sentences that head gives the noun that is meant more than the other one, 0 to 1."""
        at = self.telling(looks)
        if at is None:
            return None
        found: float = self.find("measured", "heads", looks)[at[0]][at[1]]["preferred"]
        return found

    def along(self, looks: str, layer: int, head: int) -> tuple[list[int], list[float], list[float]]:
        """Return the steps that were measured, and what a head gave there to the noun meant and to the other one."""
        told = self.told.get("along") or {}
        steps = sorted(map(int, told))
        cells = [told[str(step)]["heads"][looks][layer][head] for step in steps]
        return steps, [cell["antecedent"] for cell in cells], [cell["rival"] for cell in cells]


def story(model: str) -> Story:
    """Return what is told of the training of a model; nothing where its folder says nothing.

    Raises:
        CoreError: what opening the model raises.
    """
    files = doors.report(model).files
    return Story(told=_read(files[0].parent / "history.json") if files else {})


def runs() -> tuple[Story, ...]:
    """Return the short runs with one part taken away, the whole model first."""
    found = [Story(told=_read(path)) for path in sorted(RUNS.glob("*.json"))]
    return tuple(sorted((one for one in found if one.loss[0]), key=lambda one: (one.name != "short", one.name)))


def vocabulary(model: str) -> tuple[str, ...]:
    """Return the words that a model can read.

    Raises:
        CoreError: what opening the model raises.
    """
    found: tuple[str, ...] = doors.ask(doors.changed(model, OPENING), core.analysis.writing.vocabulary)
    return found


def _leads(cell: Mapping[str, float]) -> float:
    return cell["antecedent"] - cell["rival"]


@cache
def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
