"""A loaded model: parameters, how to read text for it, and a report of how it was loaded. It remembers nothing
between calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor, nn

from core.blocks import ClassHead, SharedSpace
from core.blocks.heads import Ids
from core.models.plan import Plan, Side, Spec
from core.products import parameter_bytes, twin_bytes
from core.shapes import Hidden
from core.walk import Walk, padding_rule


class Network(nn.Module):
    """The sides of a model under their names, and its output head; nothing but parameters."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        for side in plan.sides:
            self.add_module(side.name, side)
        self.output = plan.output
        if plan.pictures is not None:
            self.pictures = Network(plan.pictures)


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """What `open_model` returns: shared by everybody, never written to. `reader` turns text into a Sample.

    A model that takes texts or pictures, with an encoder for each, is two: `pictures` is the one for pictures.
    """

    name: str
    spec: Spec
    network: Network
    reader: Any
    report: Any
    pictures: Model | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """The kinds of input of which one is given: text, image, sound."""
        kinds: tuple[str, ...] = self.reader.takes
        return kinds if self.pictures is None else (*kinds, *self.pictures.takes)

    def taking(self, kind: str) -> Model:
        """Return the model that takes one of these kinds: itself, or the one for pictures."""
        return self if self.pictures is None or kind in self.reader.takes else self.pictures

    @property
    def sides(self) -> tuple[str, ...]:
        """The stacks of layers, in the order in which they are walked."""
        return tuple(name for name, _ in self.network.named_children() if name not in ("output", "pictures"))

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.network.parameters()).device

    @property
    def bytes(self) -> int:
        """Bytes of memory that the parameters take, with what is held of them in a second order."""
        return parameter_bytes(self.network) + twin_bytes(self.network)

    @property
    def weight_bytes(self) -> int:
        """Bytes of all parameters, shared ones counted once: what a step of writing reads."""
        return parameter_bytes(self.network)

    @property
    def settled(self) -> bool:
        """Whether what was computed for a text stays right when the text grows, so that it can be kept."""
        schemes = (getattr(part, "positions", None) for part in self.network.modules())
        return all(getattr(scheme, "settled", True) for scheme in schemes)

    def side(self, name: str) -> Side:
        """Return one stack of layers by its name."""
        return cast(Side, self.network.get_submodule(name))

    def run(self, walk: Walk, target: Walk | None = None) -> Hidden:
        """Walk one batch through the model; return the last side's final hidden state [batch, position, width].

        An encoder-decoder walks `walk` through its encoder and `target`, which then reads it, through its decoder.
        """
        final: Hidden = self.side(self.sides[0])(walk)
        if target is None:
            return final
        hidden = padding_rule(walk.keep, rows=target.keep)
        found: Hidden = self.side("decoder")(replace(target, source=final, source_padding=hidden))
        return found

    @property
    def whole(self) -> bool:
        """Whether the logits are one row for the whole text, and not one per position."""
        return getattr(self.network.output, "whole", False)

    def speaking(self, ids: Ids) -> list[int] | None:
        """Return the position from which a head speaks of the whole sample where its pieces say which, or None."""
        head = self.network.output
        return [head.place(ids)] if isinstance(head, SharedSpace) else None

    @property
    def classifies(self) -> bool:
        """Whether the logits are those of classes, and not of the pieces of the vocabulary."""
        return isinstance(self.network.output, ClassHead)

    def logits(self, final: Tensor) -> Tensor | None:
        """Return the logits of some final states, or None for a model that was published without a head."""
        return None if self.network.output is None else self.network.output(final)
