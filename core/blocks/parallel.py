"""Wirings in which the parts of a layer do not wait for each other, or in which the stream itself is normed."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.blocks.layers import Layer
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class Parallel(Layer):
    """x + mixer(norm(x)) + feed_forward(other_norm(x)): both parts read the same x (Black et al. 2022, section 2.1)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around and think at once."""
        return hidden + self.mixer(self.mixer_norm(hidden), walk, place) + self.feed_forward(self.feed_norm(hidden))


class SharedNorm(Layer):
    """x + mixer(norm(x)) + feed_forward(norm(x)), with one norm for both (Wang and Komatsuzaki 2021, GPT-J)."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(feed_norm=nn.Identity(), **parts)

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around and think at once."""
        normed = self.mixer_norm(hidden)
        return hidden + self.mixer(normed, walk, place) + self.feed_forward(normed)


class NormedStream(Layer):
    """y + part(y) with y = norm(x) for each part: what is added to is normed as well (BLOOM's
    `apply_residual_connection_post_layernorm`)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        normed = self.mixer_norm(hidden)
        normed = self.feed_norm(normed + self.mixer(normed, walk, place))
        return normed + self.feed_forward(normed)
