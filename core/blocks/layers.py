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
