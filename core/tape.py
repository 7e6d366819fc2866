"""A Tape listens to one run through a model: it records what it is handed and alters nothing.

Loaded models are shared by everybody and keep nothing, so whoever wants to look inside brings a Tape along.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Where in a model something happens: the side, and the layer counted from 0."""

    side: str
    layer: int


@dataclass
class Tape:
    """Records by (what, place); what is recorded is one of `wanted`."""

    wanted: frozenset[str] = frozenset({"attention", "hidden", "final"})
    records: dict[tuple[str, Place], Any] = field(default_factory=dict)

    def note(self, what: str, place: Place, value: Any) -> None:
        """Record `value` if somebody wants it."""
        if what in self.wanted:
            self.records[what, place] = value

    def read(self, what: str, side: str) -> list[Any]:
        """Return what was recorded on one side, in the order of the layers."""
        found = [
            (place.layer, value) for (kind, place), value in self.records.items() if (kind, place.side) == (what, side)
        ]
        return [value for _, value in sorted(found, key=lambda pair: pair[0])]


SILENT = Tape(wanted=frozenset())
