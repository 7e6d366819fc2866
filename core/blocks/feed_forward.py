"""Feed-forward parts: what each position does on its own, after it has looked around.

Since each does so on its own, a long text goes through in blocks, and the wide numbers in the middle are held for one
block only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from core.errors import CoreError
from core.products import Linear, all_of
from core.shapes import Hidden

Activation = Callable[[Tensor], Tensor]
BLOCK = 256


def quick_gelu(values: Tensor) -> Tensor:
    """x sigmoid(1.702 x) (Hendrycks and Gimpel 2016, section 2): a third form of GELU, and not equal to the others."""
    return values * torch.sigmoid(1.702 * values)


ACTIVATIONS: dict[str, Activation] = {
    "gelu": gelu,
    "gelu_fast": partial(gelu, approximate="tanh"),
    "gelu_new": partial(gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(gelu, approximate="tanh"),
    "quick_gelu": quick_gelu,
    "relu": relu,
    "silu": silu,
    "swish": silu,
    "tanh": torch.tanh,
}


def activation(name: str) -> Activation:
    """Return the activation that a published config calls `name` (Hendrycks and Gimpel 2016 for both forms of GELU).

    Raises:
        CoreError: `unknown_activation`.
    """
    if name not in ACTIVATIONS:
        raise CoreError("unknown_activation", came=name, allowed=", ".join(ACTIVATIONS))
    return ACTIVATIONS[name]


def in_blocks(part: Callable[[Hidden], Hidden], hidden: Hidden) -> Hidden:
    """Return what a part makes of each position, a block of positions at a time."""
    if hidden.shape[1] <= BLOCK:
        return part(hidden)
    return torch.cat([part(some) for some in hidden.split(BLOCK, dim=1)], dim=1)


class FeedForward(nn.Module):
    """down(act(up(x))) (Vaswani et al. 2017, equation 2)."""

    def __init__(self, width: int, inner: int, *, act: Activation, bias: bool = True) -> None:
        super().__init__()
        self.act = act
        self.up = Linear(width, inner, bias=bias)
        self.down = Linear(inner, width, bias=bias)

    def forward(self, hidden: Hidden) -> Hidden:
        """Widen, bend, narrow, a block of positions at a time."""
        return in_blocks(lambda some: self.down(self.act(self.up(some))), hidden)


class GatedFeedForward(nn.Module):
    """down(act(gate(x)) * up(x)) (Shazeer 2020, equation 6)."""

    together: ClassVar[tuple[str, ...]] = ("gate", "up")

    def __init__(self, width: int, inner: int, *, act: Activation, bias: bool = False) -> None:
        super().__init__()
        self.act = act
        self.gate = Linear(width, inner, bias=bias)
        self.up = Linear(width, inner, bias=bias)
        self.down = Linear(inner, width, bias=bias)

    def forward(self, hidden: Hidden) -> Hidden:
        """Widen twice, let one side gate the other, narrow, a block of positions at a time."""
        return in_blocks(self._one, hidden)

    def _one(self, hidden: Hidden) -> Hidden:
        gate, up = all_of(hidden, self.gate, self.up)
        return self.down(self.act(gate) * up)
