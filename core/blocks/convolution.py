"""A convolution beside a layer: what lies next to a piece is added to what it saw (He et al. 2021, as published with
version 2)."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.blocks.feed_forward import Activation
from core.blocks.layers import PostNorm
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class Neighbours(nn.Module):
    """act(convolution(x)) over neighbouring places; padding counts as nothing. `size` is odd."""

    def __init__(self, width: int, size: int, *, act: Activation, groups: int = 1) -> None:
        super().__init__()
        self.act = act
        self.kernel = nn.Conv1d(width, width, size, padding=size // 2, groups=groups)

    def forward(self, hidden: Hidden, walk: Walk) -> Hidden:
        """Look to both sides."""
        real = hidden * walk.places[..., None]
        return self.act(self.kernel(real.mT).mT)


class Convolved(PostNorm):
    """norm(layer(x) + act(convolution(x)))."""

    def __init__(self, neighbours: nn.Module, neighbours_norm: nn.Module, **parts: Any) -> None:
        super().__init__(**parts)
        self.neighbours, self.neighbours_norm = neighbours, neighbours_norm

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Walk through the layer, and beside it."""
        return self.neighbours_norm(super().forward(hidden, walk, place) + self.neighbours(hidden, walk))
