"""Rotary positions as the paper writes them: neighbouring dimensions are pairs (Su et al. 2021, equation 34)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from core.positions.rotary import Angles, Rotary
from core.shapes import Ids


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Turns the pairs (0, 1), (2, 3) ... of the dimensions that `rotary` turns as (i, i + half)."""

    rotary: Rotary

    @property
    def settled(self) -> bool:
        """Whether a position keeps its angle however long the text grows."""
        return self.rotary.settled

    def angles(self, positions: Ids) -> Angles:
        """Return the angles of the pairs."""
        return self.rotary.angles(positions)

    def turn(self, heads: Float[Tensor, "batch head position head_width"], angles: Angles) -> Tensor:
        """Put the firsts of all pairs before the seconds, turn, and put them back."""
        width = self.rotary.head_width
        halves = rearrange(heads[..., :width], "b head position (pair two) -> b head position (two pair)", two=2)
        turned = rearrange(
            self.rotary.turn(halves, angles), "b head position (two pair) -> b head position (pair two)", two=2
        )
        return torch.cat((turned, heads[..., width:]), dim=-1)
