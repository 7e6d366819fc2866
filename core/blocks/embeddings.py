"""Embeddings: from ids to the numbers that enter layer 0."""

from __future__ import annotations

import torch
from torch import nn

from core.shapes import Hidden
from core.walk import Walk


class Embeddings(nn.Module):
    """A row per piece, plus a learned row per position and per sentence part where the family has them, then a norm.

    Devlin et al. 2019, figure 2, for the sum of three; with neither positions nor types it is the bare table.
    """

    def __init__(
        self, pieces: int, width: int, *, positions: int = 0, types: int = 0, norm: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(pieces, width)
        self.positions = nn.Embedding(positions, width) if positions else None
        self.types = nn.Embedding(types, width) if types else None
        self.norm = norm

    def forward(self, walk: Walk) -> Hidden:
        """Look the rows up and add them."""
        hidden = self.words(walk.ids)
        if self.types is not None:
            hidden = hidden + self.types(torch.zeros_like(walk.positions) if walk.types is None else walk.types)
        if self.positions is not None:
            hidden = hidden + self.positions(walk.positions)
        return hidden if self.norm is None else self.norm(hidden)
