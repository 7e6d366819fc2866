"""A layer that is a mixer and nothing else (Gu and Dao 2023, section 3.4: gate and feed-forward part are inside)."""

from __future__ import annotations

from torch import nn

from core.blocks.layers import Layer
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class Alone(Layer):
    """x + mixer(norm(x))."""

    def __init__(self, *, mixer: nn.Module, mixer_norm: nn.Module) -> None:
        super().__init__(mixer=mixer, mixer_norm=mixer_norm, feed_forward=nn.Identity(), feed_norm=nn.Identity())

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix, and add."""
        mixed = self.mixer(self.normed(self.mixer_norm, hidden, walk, place), walk, place)
        return self.joined(hidden, mixed, walk, place)
