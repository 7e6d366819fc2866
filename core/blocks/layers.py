"""How the parts of one layer are wired: the residual stream and where the norms sit on it."""

from __future__ import annotations

from torch import nn

from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class PostNorm(nn.Module):
    """norm(x + part(x)), twice (Vaswani et al. 2017, section 3.1)."""

    def __init__(self, *, mixer: nn.Module, mixer_norm: nn.Module, feed_forward: nn.Module, feed_norm: nn.Module) -> None:
        super().__init__()
        self.mixer, self.mixer_norm = mixer, mixer_norm
        self.feed_forward, self.feed_norm = feed_forward, feed_norm

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        hidden = self.mixer_norm(hidden + self.mixer(hidden, walk, place))
        return self.feed_norm(hidden + self.feed_forward(hidden))


class PreNorm(nn.Module):
    """x + part(norm(x)), twice (Xiong et al. 2020, table 1)."""

    def __init__(self, *, mixer: nn.Module, mixer_norm: nn.Module, feed_forward: nn.Module, feed_norm: nn.Module) -> None:
        super().__init__()
        self.mixer, self.mixer_norm = mixer, mixer_norm
        self.feed_forward, self.feed_norm = feed_forward, feed_norm

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        hidden = hidden + self.mixer(self.mixer_norm(hidden), walk, place)
        return hidden + self.feed_forward(self.feed_norm(hidden))
