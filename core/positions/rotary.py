"""Rotary positions: queries and keys are turned by an angle that grows with the position (Su et al. 2021, section
3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from core.shapes import Ids

Angles = tuple[Float[Tensor, "batch 1 position half"], Float[Tensor, "batch 1 position half"]]


@dataclass(frozen=True, kw_only=True)
class Rotary:
    """Turns pairs of dimensions; enters at the heads.

    Published safetensors pair dimension i with i + head_width/2; the paper pairs neighbours (equation 34). The two
    are the same up to an order of dimensions, which the weights already carry; the half-split form is computed here.
    """

    head_width: int
    base: float = 10_000.0

    def angles(self, positions: Ids) -> Angles:
        """Return cosines and sines [batch, 1, position, head_width/2] of position x base^(-2i/head_width), in
        float32."""
        half = torch.arange(0, self.head_width, 2, dtype=torch.float32, device=positions.device)
        frequencies = self.base ** (-half / self.head_width)
        turned = positions[:, None, :, None].float() * frequencies
        return turned.cos(), turned.sin()

    def turn(self, heads: Float[Tensor, "batch head position head_width"], angles: Angles) -> Tensor:
        """Rotate each pair (first, second) by its angle (equation 34)."""
        cosine, sine = (part.to(heads.dtype) for part in angles)
        first, second = heads.chunk(2, dim=-1)
        return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)
