"""The front of an encoder that sees: a picture in patches, each one a position (Dosovitskiy et al. 2021, section
3.1)."""

from __future__ import annotations

import torch
from torch import nn

from core.shapes import Hidden
from core.walk import Walk


class Patches(nn.Module):
    """[rows of their own; patches times a matrix] + a row per position, then a norm where the family has one there.

    `cut` takes each patch once; patches come row by row, left to right. `first` is the position that stands for the
    whole picture; `taught`, where there is one, the one that learned from a teacher (Touvron et al. 2021, section 4).
    """

    def __init__(self, cut: nn.Conv2d, *, positions: int, taught: bool = False, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.cut, width = cut, cut.out_channels
        self.first = nn.Parameter(torch.empty(width))
        self.taught = nn.Parameter(torch.empty(width)) if taught else None
        self.positions = nn.Embedding(positions, width)
        self.norm = norm

    def forward(self, walk: Walk) -> Hidden:
        """Cut, project, put the rows of their own before, add."""
        patches = self.cut(walk.signal).flatten(2).mT
        own = [row.expand(len(patches), 1, -1) for row in (self.first, self.taught) if row is not None]
        hidden = torch.cat([*own, patches], dim=1)
        if not walk.orderless:
            hidden = hidden + self.positions(walk.positions)
        return hidden if self.norm is None else self.norm(hidden)
