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
        looked = self.mixer(self.normed(self.mixer_norm, hidden, walk, place), walk, place)
        thought = self.feed_forward(self.normed(self.feed_norm, hidden, walk, place))
        return self.joined(hidden, looked + thought, walk, place)


class SharedNorm(Layer):
    """x + mixer(norm(x)) + feed_forward(norm(x)), with one norm for both (Wang and Komatsuzaki 2021, GPT-J)."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(feed_norm=nn.Identity(), **parts)

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around and think at once."""
        normed = self.normed(self.mixer_norm, hidden, walk, place)
        return self.joined(hidden, self.mixer(normed, walk, place) + self.feed_forward(normed), walk, place)


class NormedStream(Layer):
    """y + part(y) with y = norm(x) for each part: what is added to is normed as well (BLOOM's
    `apply_residual_connection_post_layernorm`)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        normed = self.normed(self.mixer_norm, hidden, walk, place)
        stream = self.joined(normed, self.mixer(normed, walk, place), walk, place)
        normed = self.normed(self.feed_norm, stream, walk, place)
        return self.joined(normed, self.feed_forward(normed), walk, place)
