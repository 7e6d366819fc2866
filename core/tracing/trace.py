"""A Trace: everything needed to recompute any map of one run, and not the maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.errors import CoreError
from core.inputs import Sample
from core.mixers import softmax
from core.mixers.softmax import Attention
from core.models import Model
from core.tracing.pooling import Grouping, identity, pooled
from core.tracing.shelf import Shelf

Numbers = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """One sentence's walk through a model. All results are numpy float32 without a batch axis, and the asker's own.

    `attention` holds per side one Attention a layer (a batch of one), None for a layer whose mixer has no softmax;
    `hiddens` and `finals` the hidden states. What follows from them and takes a while lies on the `shelf`.
    """

    model: Model
    sample: Sample
    attention: dict[str, tuple[Attention | None, ...]]
    hiddens: dict[str, tuple[Tensor, ...]]
    finals: dict[str, Tensor]
    shelf: Shelf = field(default_factory=Shelf, init=False, repr=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have maps."""
        return tuple(self.attention)

    @property
    def bytes(self) -> int:
        """What keeping the trace costs."""
        kept = sum(layer.bytes for layers in self.attention.values() for layer in layers if layer is not None)
        states = [state for side in self.hiddens.values() for state in side] + list(self.finals.values())
        return kept + sum(state.numel() * state.element_size() for state in states) + self.shelf.bytes

    def layers(self, side: str | None = None) -> tuple[Attention | None, ...]:
        """Return the attention of every layer of a side, None for a layer without; the side may be left out where there
        is one.

        Raises:
            CoreError: `unknown_side`; `no_pattern` where no layer of the model has a softmax.
        """
        if not self.attention:
            count = len(self.model.side(self.model.sides[-1]).layers)
            raise CoreError("no_pattern", name=self.model.name, came=f"0 … {count - 1}", allowed="—")
        if side is None and len(self.attention) == 1:
            return next(iter(self.attention.values()))
        if side not in self.attention:
            raise CoreError("unknown_side", came=side or "—", allowed=", ".join(self.attention))
        return self.attention[side]

    def looking(self, side: str | None = None) -> dict[int, Attention]:
        """Return the attention of the layers of a side that have one, by their numbers.

        Raises:
            CoreError: `unknown_side` or `no_pattern`.
        """
        return {number: layer for number, layer in enumerate(self.layers(side)) if layer is not None}

    @torch.no_grad()
    def pattern(
        self,
        layer: int,
        head: int,
        side: str | None = None,
        rows: Sequence[int] | slice | None = None,
        columns: Sequence[int] | slice | None = None,
    ) -> Numbers:
        """Return the exact pattern of one head [rows, columns], all of them where none are named.

        Raises:
            CoreError: `out_of_range` for a layer, head, row or column that does not exist; `unknown_side`;
                `no_pattern` for a layer that has no softmax.
        """
        attention = self.layer(layer, side)
        heads, queries, keys = attention.shape
        _within("head", head, heads)
        wanted = torch.as_tensor(_places("row", rows, queries), device=attention.queries.device)
        if attention.changes or attention.bias is not None:
            found = softmax.pattern(attention, wanted)[0, head]
        else:
            found = softmax.pattern(softmax.one_head(attention, head), wanted)[0, 0]
        return _numpy(found if columns is None else found[:, _places("column", columns, keys)])

    def layer(self, layer: int, side: str | None = None) -> Attention:
        """Return what the softmax of one layer was given.

        Raises:
            CoreError: `out_of_range`, `unknown_side`, or `no_pattern` for a layer that has no softmax.
        """
        layers = self.layers(side)
        _within("layer", layer, len(layers))
        found = layers[layer]
        if found is None:
            allowed = ", ".join(map(str, self.looking(side)))
            raise CoreError("no_pattern", name=self.model.name, came=layer, allowed=allowed)
        return found

    @torch.no_grad()
    def overview(self, bins: int = 48, side: str | None = None) -> Numbers:
        """Return every head pooled to at most `bins` x `bins` by block maximum [layer, head, row, column].

        A single strong cell is never lost, and length x length x heads is never held. A layer without a softmax has
        zeros.
        """
        looking, count = self.looking(side), len(self.layers(side))
        some = next(iter(looking.values()))
        (heads, queries, keys), device = some.shape, some.queries.device
        blocks = -(-queries // max(1, bins)), -(-keys // max(1, bins))
        rows, columns = (identity(count, device) for count in (queries, keys))
        found = np.zeros((count, heads, -(-queries // blocks[0]), -(-keys // blocks[1])), dtype=np.float32)
        for number, attention in looking.items():
            found[number] = _numpy(pooled(attention, rows, columns, blocks))
        return found

    @torch.no_grad()
    def grouped(self, layer: int, rows: Grouping, columns: Grouping, *, side: str | None = None, **how: Any) -> Numbers:
        """Return every head of one layer between groups of positions [head, row, column] (see `pooled`)."""
        return _numpy(pooled(self.layer(layer, side), rows, columns, **how))

    def hidden(self, number: int, side: str | None = None) -> Numbers:
        """Return hidden(0) = what enters layer 0, hidden(n) = what leaves layer n - 1 [position, width].

        Raises:
            CoreError: `out_of_range`; `unknown_side` for a side that has no states of its own.
        """
        states = self.hiddens.get(side or self.model.sides[-1])
        if states is None:
            raise CoreError("unknown_side", came=side, allowed=", ".join(self.hiddens))
        _within("hidden", number, len(states))
        return _numpy(states[number][0].clone())

    @property
    def final(self) -> Numbers:
        """The last hidden state after the final norm, where the family has one [position, width]."""
        return _numpy(self.finals[self.model.sides[-1]][0].clone())

    @torch.no_grad()
    def logits(self, rows: Sequence[int] | slice | None = None) -> Numbers:
        """Return the logits of some positions [row, piece]; they are never kept.

        A head that speaks of the whole text gives its one row [1, class], whatever rows are asked for.

        Raises:
            CoreError: `no_output` for a model published without a head; `out_of_range`.
        """
        final = self.finals[self.model.sides[-1]]
        speaking = self.model.speaking(self.sample.ids)
        wanted = _places("row", speaking if self.model.whole else rows, final.shape[1])
        found = self.model.logits(final[:, wanted])
        if found is None:
            raise CoreError("no_output", name=self.model.name)
        return _numpy(found[0])


def _numpy(tensor: Tensor) -> Numbers:
    found: Numbers = tensor.detach().to("cpu", torch.float32).numpy()
    return found


def _within(what: str, came: int, count: int) -> None:
    if not 0 <= came < count:
        raise CoreError("out_of_range", what=what, came=came, allowed=count - 1)


def _places(what: str, wanted: Sequence[int] | slice | None, count: int) -> list[int]:
    if wanted is None:
        return list(range(count))
    if isinstance(wanted, slice):
        return list(range(count))[wanted]
    places = [int(place) for place in wanted]
    for place in places:
        _within(what, place, count)
    return places
