"""The front of an encoder that hears: two convolutions over mel frames, then positions (Radford et al. 2023, section
2.2)."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import gelu

from core.blocks.feed_forward import Activation
from core.shapes import Hidden
from core.walk import Walk


class Frames(nn.Module):
    """act(convolution(act(convolution(frames)))) + a row per position; the second takes every other frame, `act` is
    GELU."""

    def __init__(self, bins: int, width: int, *, positions: int) -> None:
        super().__init__()
        self.act: Activation = gelu
        self.first = nn.Conv1d(bins, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.positions = nn.Embedding(positions, width)

    def forward(self, walk: Walk) -> Hidden:
        """Listen, halve the rate, add."""
        frames = torch.as_tensor(walk.signal, dtype=self.first.weight.dtype)
        heard: Hidden = self.act(self.second(self.act(self.first(frames)))).mT
        return heard if walk.orderless else heard + self.positions(walk.positions)
