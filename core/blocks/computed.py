"""Embeddings whose position rows are computed and not learned (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

from typing import Any

from core.blocks.embeddings import Embeddings
from core.positions.sinusoidal import Sinusoidal
from core.shapes import Hidden
from core.walk import Walk


class ComputedEmbeddings(Embeddings):
    """A row per piece, times `scale`, plus the sines and cosines of where it stands."""

    def __init__(self, pieces: int, width: int, *, scheme: Sinusoidal, **rest: Any) -> None:
        super().__init__(pieces, width, **rest)
        self.scheme = scheme

    def forward(self, walk: Walk) -> Hidden:
        """Look up, scale, add."""
        hidden: Hidden = self.words(walk.ids) * self.scale
        return hidden if walk.orderless else hidden + self.rows(walk).to(hidden.dtype)

    def rows(self, walk: Walk) -> Hidden:
        """Return what is added at each place."""
        return self.scheme.rows(walk.positions)


class CountedComputed(ComputedEmbeddings):
    """The first place takes the row after `pad`; a piece that is `pad` itself is not counted, and nothing is added to
    it (fairseq, Ott et al. 2019)."""

    def __init__(self, pieces: int, width: int, *, pad: int, **rest: Any) -> None:
        super().__init__(pieces, width, **rest)
        self.pad = pad

    def rows(self, walk: Walk) -> Hidden:
        """Count the pieces that are neither padding nor `pad`, those written before included."""
        real = walk.places & (walk.ids != self.pad)
        counted = real.long().cumsum(-1) + walk.before
        return self.scheme.rows(self.pad + counted) * real[..., None]
