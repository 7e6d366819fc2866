"""One walk of one batch through a model: everything that belongs to the run and not to the model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.functional import dropout

from core.cache import Cache
from core.changes import Change, NoPositions
from core.masks import Everyone, Padding, Rule
from core.shapes import Hidden, Ids, Keep, KeepRows, Source
from core.tape import SILENT, Place, Tape

Result = TypeVar("Result")


@dataclass(kw_only=True)
class Walk:
    """What goes in, who listens, what is altered, and what is kept between steps.

    `ids` and `types` [batch, position] for text, `signal` for pixels [batch, channel, row, column] or mel frames
    [batch, bin, frame]; `keep` is False where a place is padding (None: nothing is), and so is `past` of what a cache
    holds already. A decoder that reads an encoder
    has its final state in `source` [batch, position, width], and the rule about its padding. `dropout` is the share of
    numbers that is left out at random, and 0 everywhere but in training.
    """

    positions: Ids
    ids: Ids | None = None
    types: Ids | None = None
    signal: Tensor | None = None
    keep: Keep | None = None
    past: Bool[Tensor, "batch earlier"] | None = None
    tape: Tape = field(default_factory=lambda: SILENT)
    changes: tuple[Change, ...] = ()
    cache: Cache | None = None
    source: Source | None = None
    source_padding: Rule = field(default_factory=Everyone)
    dropout: float = 0.0
    memory: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def places(self) -> Keep:
        """Which places are real [batch, position]."""
        return torch.ones_like(self.positions, dtype=torch.bool) if self.keep is None else self.keep

    @property
    def padding(self) -> Rule:
        """The rule that hides padding, in what is new and in what the cache holds."""
        return self.once("padding", lambda: padding_rule(self.whole))

    @property
    def whole(self) -> Bool[Tensor, "batch all"] | None:
        """Which places are real, of what the cache holds and then of what is new."""
        return self.keep if self.past is None else torch.cat((self.past, self.places), dim=1)

    @property
    def orderless(self) -> bool:
        """Whether the model is to be blind to order: nothing tells it where a piece stands."""
        return bool(self.changes) and any(isinstance(change, NoPositions) for change in self.changes)

    @property
    def start(self) -> int:
        """The position of the first query among the keys: 0, or what the cache holds already."""
        return self.cache.length if self.cache else 0

    @property
    def before(self) -> int | Ids:
        """How many real places the cache holds already, of each text [batch, 1] where some are padding."""
        return self.start if self.past is None else self.past.long().sum(-1, keepdim=True)

    def changes_at(self, place: Place) -> tuple[Change, ...]:
        """Return the changes that concern the softmax of one layer."""
        if not self.changes:
            return ()
        return tuple(change for change in self.changes if change.on_softmax and change.touches(place))

    def leaves_out(self, kind: type[Change], place: Place) -> bool:
        """Tell whether a change of some kind concerns this layer."""
        return bool(self.changes) and any(isinstance(one, kind) and one.touches(place) for one in self.changes)

    def dropped(self, hidden: Hidden) -> Hidden:
        """Return the state with a share of its numbers left out, in training (Vaswani et al. 2017, section 5.4)."""
        return dropout(hidden, self.dropout) if self.dropout else hidden

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gives, computed at most once in this walk."""
        if key not in self.memory:
            self.memory[key] = compute()
        found: Result = self.memory[key]
        return found


def padding_rule(keep: Keep | None, rows: KeepRows | None = None) -> Rule:
    """Return the rule that hides padding among the keys: everyone may look where nothing is padded.

    `rows` are the kept places of the queries where these are another sequence.
    """
    return Everyone() if keep is None or bool(keep.all()) else Padding(keep=keep, rows=rows)


def walk_over(keep: Keep, **rest: Any) -> Walk:
    """Return the walk of a batch whose real places are True in `keep` [batch, position].

    Positions count the real places only, so padding on the left does not shift them.
    """
    return Walk(positions=(keep.long().cumsum(-1) - 1).clamp(min=0), keep=keep, **rest)
