"""A loaded model: parameters, how to read text for it, and a report of how it was loaded. It remembers nothing between calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.models.plan import Plan, Spec
from core.walk import Walk, padding_rule


class Network(nn.Module):
    """The sides of a model under their names, and its output head; nothing but parameters."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        for side in plan.sides:
            self.add_module(side.name, side)
        self.output = plan.output


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """What `open_model` returns: shared by everybody, never written to. `reader` turns text into a Sample."""

    name: str
    spec: Spec
    network: Network
    reader: Any
    report: Any

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have attention of their own."""
        return tuple(name for name, _ in self.network.named_children() if name != "output")

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.network.parameters()).device

    @property
    def bytes(self) -> int:
        """Bytes of all parameters, shared ones counted once."""
        return sum(part.numel() * part.element_size() for part in self.network.parameters())

    @property
    def fingerprint(self) -> str:
        """The checksum of the weights file, or the name where there is none."""
        return getattr(self.report, "checksum", None) or self.name

    def run(self, ids: Tensor, walk: Walk, types: Tensor | None = None) -> Tensor:
        """Walk one batch of ids through the (only) side; return the final hidden state [batch, position, width]."""
        final: Tensor = getattr(self.network, self.sides[-1])(ids, types, walk)
        return final

    def logits(self, final: Tensor) -> Tensor | None:
        """Return the logits of some final states, or None for a model that was published without a head."""
        return None if self.network.output is None else self.network.output(final)


def walk_over(keep: Tensor, **rest: Any) -> Walk:
    """Return the walk of a batch whose real places are True in `keep` [batch, position].

    Positions count the real places only, so padding on the left does not shift them.
    """
    return Walk(positions=(keep.cumsum(-1) - 1).clamp(min=0), padding=padding_rule(keep), **rest)
