"""Embeddings: from ids to the numbers that enter layer 0."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from core.shapes import Hidden, Ids
from core.walk import Walk


class Embeddings(nn.Module):
    """A row per piece, plus a learned row per position and per sentence part where the family has them, then a norm.

    Devlin et al. 2019, figure 2, for the sum of three; with neither positions nor types it is the bare table. `scale`
    multiplies the rows of pieces (Vaswani et al. 2017, section 3.4: the root of the width).
    """

    def __init__(
        self,
        pieces: int,
        width: int,
        *,
        positions: int = 0,
        types: int = 0,
        norm: nn.Module | None = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.scale = scale
        self.words = nn.Embedding(pieces, width)
        self.positions = nn.Embedding(positions, width) if positions else None
        self.types = nn.Embedding(types, width) if types else None
        self.norm = norm

    def forward(self, walk: Walk) -> Hidden:
        """Look the rows up and add them."""
        hidden = self.words(walk.ids) * self.scale
        if self.types is not None:
            hidden = hidden + self.types(torch.zeros_like(walk.positions) if walk.types is None else walk.types)
        if self.positions is not None and not walk.orderless:
            hidden = hidden + self.positions(self.places(walk))
        return hidden if self.norm is None else self.norm(hidden)

    def places(self, walk: Walk) -> Ids:
        """Return the row of the position table that each place takes."""
        return walk.positions


class CountedEmbeddings(Embeddings):
    """Position rows are counted from the one after `pad`, and a piece that is `pad` itself takes row `pad`.

    So the rows up to `pad` serve nobody (Ott et al. 2019, fairseq; Liu et al. 2019 publish such tables).
    """

    def __init__(self, pieces: int, width: int, *, pad: int, **rest: Any) -> None:
        super().__init__(pieces, width, **rest)
        self.pad = pad

    def places(self, walk: Walk) -> Ids:
        """Count the pieces that are neither padding nor `pad`."""
        real = walk.places & (walk.ids != self.pad)
        return self.pad + real.long().cumsum(-1) * real


class Projected(nn.Module):
    """Narrow rows, widened by one product to the width of the layers (Lan et al. 2020, section 3.1); then a norm where
    the family has it there and not before."""

    def __init__(self, narrow: nn.Module, widen: nn.Module, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.narrow, self.widen, self.norm = narrow, widen, norm

    def forward(self, walk: Walk) -> Hidden:
        """Look up, widen."""
        hidden = self.widen(self.narrow(walk))
        return hidden if self.norm is None else self.norm(hidden)
