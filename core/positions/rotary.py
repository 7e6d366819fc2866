"""Rotary positions: queries and keys are turned by an angle that grows with the position (Su et al. 2021, section
3.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from core.positions.scalings import Scaling
from core.shapes import Ids

Angles = tuple[Float[Tensor, "batch 1 position half"], Float[Tensor, "batch 1 position half"]]


@dataclass(frozen=True, kw_only=True)
class Rotary:
    """Turns pairs of dimensions; enters at the heads.

    Published safetensors pair dimension i with i + head_width/2; the paper pairs neighbours (equation 34). The two
    are the same up to an order of dimensions, which the weights already carry; the half-split form is computed here.
    `head_width` counts the numbers of a head that are turned, the first ones; the others stay as they are.
    """

    head_width: int
    base: float = 10_000.0
    scaling: Scaling = field(default_factory=Scaling)

    @property
    def settled(self) -> bool:
        """Whether a position keeps its angle however long the text grows."""
        return self.scaling.settled

    def angles(self, positions: Ids) -> Angles:
        """Return cosines and sines [batch, 1, position, head_width/2] of position x frequency, in float32."""
        lengths = positions.amax(-1) + 1
        frequencies = self.scaling.frequencies(self.base, self.head_width, lengths)[:, None, None]
        turned = positions[:, None, :, None].float() * frequencies
        return turned.cos() * self.scaling.strength, turned.sin() * self.scaling.strength

    def turn(self, heads: Float[Tensor, "batch head position head_width"], angles: Angles) -> Tensor:
        """Rotate each pair (first, second) by its angle (equation 34)."""
        cosine, sine = (part.to(heads.dtype) for part in angles)
        whole = heads.shape[-1] == self.head_width
        first, second = (heads if whole else heads[..., : self.head_width]).chunk(2, dim=-1)
        turned = first * cosine - second * sine, second * cosine + first * sine
        return torch.cat(turned if whole else (*turned, heads[..., self.head_width :]), dim=-1)

    def whole_angles(self, positions: Ids) -> Angles:
        """Return what `turn_whole` needs: cosines and signed sines [batch, 1, position, head_width]."""
        cosine, sine = self.angles(positions)
        return torch.cat((cosine, cosine), dim=-1), torch.cat((-sine, sine), dim=-1)

    def turn_whole(self, heads: Float[Tensor, "batch head position head_width"], angles: tuple[Tensor, ...]) -> Tensor:
        """Return the same as `turn`, number by number, in half as many operations, for heads that are turned whole:
        each number times its cosine, and its partner, half a head away, times the sine."""
        cosine, sine = angles
        return (heads * cosine).add_(heads.roll(self.head_width // 2, -1).mul_(sine))
