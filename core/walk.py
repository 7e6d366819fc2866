"""One walk of one batch through a model: everything that belongs to the run and not to the model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.cache import Cache
from core.changes import Change
from core.masks import Everyone, Padding, Rule
from core.shapes import Hidden, Ids, Keep
from core.tape import SILENT, Place, Tape

Result = TypeVar("Result")


@dataclass(kw_only=True)
class Walk:
    """Positions [batch, position], the rule about padding, who listens, what is altered, and what is kept between steps.

    A decoder that reads an encoder has its final state in `source` [batch, position, width], and the rule about its padding.
    """

    positions: Ids
    padding: Rule = field(default_factory=Everyone)
    tape: Tape = field(default_factory=lambda: SILENT)
    changes: tuple[Change, ...] = ()
    cache: Cache | None = None
    source: Hidden | None = None
    source_padding: Rule = field(default_factory=Everyone)
    memory: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def start(self) -> int:
        """The position of the first query among the keys: 0, or what the cache holds already."""
        return self.cache.length if self.cache else 0

    def changes_at(self, place: Place) -> tuple[Change, ...]:
        """Return the changes that concern one layer."""
        return tuple(change for change in self.changes if change.touches(place))

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gives, computed at most once in this walk."""
        if key not in self.memory:
            self.memory[key] = compute()
        found: Result = self.memory[key]
        return found


def padding_rule(keep: Keep | None) -> Rule:
    """Return the rule that hides padding: everyone may look where nothing is padded."""
    return Everyone() if keep is None or bool(keep.all()) else Padding(keep=keep)
