"""Units: what one row or column of a map stands for: pieces, whole characters, or words; and which are left out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import torch

from core.errors import CoreError
from core.inputs import Sample
from core.inputs.labels import visible
from core.tracing import Grouping

UNITS = ("pieces", "characters", "words")
SPECIAL = ("show", "hide", "renormalise")
ASIDE = ("special", "padding")
UNKNOWN = "*"


@dataclass(frozen=True, kw_only=True)
class Units:
    """The units along one axis, in reading order.

    `members` are each unit's positions in the sample, `labels` are short and readable (what the model does not know is
    spelled as in the text, with a star), `titles` the original text it covers, `kinds` as in a Sample; `boundary` is
    the unit at which the second sentence begins.
    """

    members: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    titles: tuple[str, ...]
    kinds: tuple[str, ...]
    length: int
    boundary: int | None = None

    def __len__(self) -> int:
        return len(self.members)

    def at(self, position: int | None) -> int | None:
        """Return the unit that holds a position of the sample, None if none does."""
        return next((number for number, members in enumerate(self.members) if position in members), None)

    def grouping(self, device: torch.device) -> Grouping:
        """Return which unit each position belongs to, -1 where it is left out."""
        group = [-1] * self.length
        for number, members in enumerate(self.members):
            for position in members:
                group[position] = number
        return Grouping(group=torch.tensor(group, device=device), count=len(self))


def units_of(sample: Sample, units: str = "pieces", special: str = "show") -> Units:
    """Return the units of a sample.

    Raises:
        CoreError: `unknown_choice` for a kind of units or a treatment of special pieces that does not exist.
    """
    for came, allowed in ((units, UNITS), (special, SPECIAL)):
        if came not in allowed:
            raise CoreError("unknown_choice", came=came, allowed=", ".join(allowed))
    members = _members(sample, units)
    if special != "show":
        kept = tuple(unit for unit in members if sample.kinds[unit[0]] not in ASIDE)
        members = kept or members
    return Units(
        members=members,
        labels=tuple(_label(sample, unit) for unit in members),
        titles=tuple(_title(sample, unit) for unit in members),
        kinds=tuple(_kind(sample, unit, units) for unit in members),
        length=len(sample),
        boundary=_boundary(sample, members),
    )


def _members(sample: Sample, units: str) -> tuple[tuple[int, ...], ...]:
    if units == "pieces":
        return tuple((position,) for position in range(len(sample)))
    number = sample.words if units == "words" else sample.characters
    keys = [(-1 - position if group is None else group) for position, group in enumerate(number)]
    return tuple(tuple(run) for _, run in groupby(range(len(sample)), key=lambda position: keys[position]))


def _label(sample: Sample, unit: tuple[int, ...]) -> str:
    surface = _title(sample, unit)
    if surface.strip() and any(sample.kinds[position] == "unknown" for position in unit):
        return visible(surface) + UNKNOWN
    if len(unit) == 1:
        return sample.labels[unit[0]]
    return visible(surface) if surface.strip() else "".join(sample.labels[position] for position in unit)


def _title(sample: Sample, unit: tuple[int, ...]) -> str:
    spans = [span for span in (sample.spans[position] for position in unit) if span and span[0] < span[1]]
    if not spans:
        return ""
    text = sample.pair if sample.parts[unit[0]] else sample.text
    return (text or "")[min(start for start, _ in spans) : max(end for _, end in spans)]


def _kind(sample: Sample, unit: tuple[int, ...], units: str) -> str:
    kinds = [sample.kinds[position] for position in unit]
    if units == "words" and kinds[0] in ("continuation", "byte"):
        return "unknown" if "unknown" in kinds else "word"
    if len(unit) > 1 and kinds[0] == "byte":
        return "word" if unit[0] == 0 or sample.words[unit[0]] != sample.words[unit[0] - 1] else "continuation"
    return kinds[0]


def _boundary(sample: Sample, members: tuple[tuple[int, ...], ...]) -> int | None:
    return next((number for number, unit in enumerate(members) if number and sample.parts[unit[0]] == 1), None)
