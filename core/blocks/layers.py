"""How the parts of one layer are wired: the residual stream and where the norms sit on it."""

from __future__ import annotations

from torch import nn

from core.changes import NoNorm, NoResidual
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

    def joined(self, stream: Hidden, added: Hidden, walk: Walk, place: Place) -> Hidden:
        """Add a part's output to the stream (He et al. 2016, equation 1), unless the residual is to be left out."""
        added = walk.dropped(added)
        return added if walk.leaves_out(NoResidual, place) else stream + added

    def normed(self, norm: nn.Module, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Norm, unless norms are to be left out."""
        return hidden if walk.leaves_out(NoNorm, place) else norm(hidden)


class PostNorm(Layer):
    """norm(x + part(x)) for each part (Vaswani et al. 2017, section 3.1)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, look at the source, then think."""
        hidden = self._then(self.mixer_norm, hidden, self.mixer(hidden, walk, place), walk, place)
        if self.cross is not None:
            looked = self.cross(hidden, walk, Place("cross", place.layer))
            hidden = self._then(self.cross_norm, hidden, looked, walk, place)
        return self._then(self.feed_norm, hidden, self.feed_forward(hidden), walk, place)

    def _then(self, norm: nn.Module, stream: Hidden, added: Hidden, walk: Walk, place: Place) -> Hidden:
        return self.normed(norm, self.joined(stream, added, walk, place), walk, place)


class PreNorm(Layer):
    """x + part(norm(x)) for each part (Xiong et al. 2020, table 1)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, look at the source, then think."""
        looked = self.mixer(self.normed(self.mixer_norm, hidden, walk, place), walk, place)
        hidden = self.joined(hidden, looked, walk, place)
        if self.cross is not None:
            normed = self.normed(self.cross_norm, hidden, walk, place)
            hidden = self.joined(hidden, self.cross(normed, walk, Place("cross", place.layer)), walk, place)
        thought = self.feed_forward(self.normed(self.feed_norm, hidden, walk, place))
        return self.joined(hidden, thought, walk, place)


class InnerNorm(Layer):
    """x + norm(part(x)) for each part: the norm is inside, after the part (OLMo et al. 2024, section 3.2)."""

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        looked = self.normed(self.mixer_norm, self.mixer(hidden, walk, place), walk, place)
        hidden = self.joined(hidden, looked, walk, place)
        return self.joined(hidden, self.normed(self.feed_norm, self.feed_forward(hidden), walk, place), walk, place)


class Sandwich(Layer):
    """x + after(part(before(x))): a norm on both sides of each part (Gemma Team 2024, section 2; Ding et al. 2021).

    The norms before are `mixer_norm` and `feed_norm`, those after are `mixer_after` and `feed_after`.
    """

    def __init__(self, *, mixer_after: nn.Module, feed_after: nn.Module, **parts: nn.Module) -> None:
        super().__init__(**parts)
        self.mixer_after, self.feed_after = mixer_after, feed_after

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Look around, then think."""
        looked = self.mixer(self.normed(self.mixer_norm, hidden, walk, place), walk, place)
        hidden = self.joined(hidden, self.normed(self.mixer_after, looked, walk, place), walk, place)
        thought = self.feed_forward(self.normed(self.feed_norm, hidden, walk, place))
        return self.joined(hidden, self.normed(self.feed_after, thought, walk, place), walk, place)
