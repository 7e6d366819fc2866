"""Embeddings whose position rows begin later, and whose piece rows may be narrower than the layers."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.blocks.embeddings import Embeddings
from core.shapes import Hidden, Ids
from core.walk import Walk


class ShiftedEmbeddings(Embeddings):
    """Position 0 takes row `shift` of the table (fairseq counts from after the padding id, whatever that id is here).

    With `narrow`, rows of pieces have that width and are widened before positions are added (Zhang et al. 2022, OPT);
    a norm, where there is one, is the last (Lewis et al. 2020, BART).
    """

    def __init__(self, pieces: int, width: int, *, positions: int, shift: int, narrow: int = 0, **rest: Any) -> None:
        super().__init__(pieces, width, positions=positions + shift, **rest)
        self.shift = shift
        if narrow:
            self.words = nn.Embedding(pieces, narrow)
        self.widen = nn.Linear(narrow, width, bias=False) if narrow else nn.Identity()

    def forward(self, walk: Walk) -> Hidden:
        """Look the rows up, widen, add."""
        hidden: Hidden = self.widen(self.words(walk.ids)) * self.scale
        if self.positions is not None and not walk.orderless:
            hidden = hidden + self.positions(self.places(walk))
        return hidden if self.norm is None else self.norm(hidden)

    def places(self, walk: Walk) -> Ids:
        """Return the row of the position table that each place takes."""
        return walk.positions + self.shift
