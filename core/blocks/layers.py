"""How the parts of one layer are wired: the residual stream and where the norms sit on it."""

from __future__ import annotations

from torch import nn

from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class Layer(nn.Module):
    """The parts of a layer: a mixer and a feed-forward part, each with its norm; in a decoder that reads, a cross
    mixer between."""

    def __init__(
        self,
        *,
        mixer: nn.Module,
        mixer_norm: nn.Module,
        feed_forward: nn.Module,
        feed_norm: nn.Module,
        cross: nn.Module | None = None,
        cross_norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.mixer, self.mixer_norm = mixer, mixer_norm
        self.cross, self.cross_norm = cross, cross_norm or nn.Identity()
        self.feed_forward, self.feed_norm = feed_forward, feed_norm


class PostNorm(Layer):
    """norm(x + part(x)) for each part (Vaswani et al. 2017, section 3.1)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, look at the source, then think."""
        hidden = self.mixer_norm(hidden + self.mixer(hidden, walk, place))
        if self.cross is not None:
            hidden = self.cross_norm(hidden + self.cross(hidden, walk, Place("cross", place.layer)))
        return self.feed_norm(hidden + self.feed_forward(hidden))


class PreNorm(Layer):
    """x + part(norm(x)) for each part (Xiong et al. 2020, table 1)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, look at the source, then think."""
        hidden = hidden + self.mixer(self.mixer_norm(hidden), walk, place)
        if self.cross is not None:
            hidden = hidden + self.cross(self.cross_norm(hidden), walk, Place("cross", place.layer))
        return hidden + self.feed_forward(self.feed_norm(hidden))


class InnerNorm(Layer):
    """x + norm(part(x)) for each part: the norm is inside, after the part (OLMo et al. 2024, section 3.2)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        hidden = hidden + self.mixer_norm(self.mixer(hidden, walk, place))
        return hidden + self.feed_norm(self.feed_forward(hidden))


class Sandwich(Layer):
    """x + after(part(before(x))): a norm on both sides of each part (Gemma Team 2024, section 2; Ding et al. 2021).

    The norms before are `mixer_norm` and `feed_norm`, those after are `mixer_after` and `feed_after`.
    """

    def __init__(self, *, mixer_after: nn.Module, feed_after: nn.Module, **parts: nn.Module) -> None:
        super().__init__(**parts)
        self.mixer_after, self.feed_after = mixer_after, feed_after

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        hidden = hidden + self.mixer_after(self.mixer(self.mixer_norm(hidden), walk, place))
        return hidden + self.feed_after(self.feed_forward(self.feed_norm(hidden)))
