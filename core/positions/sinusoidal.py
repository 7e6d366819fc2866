"""Sinusoidal positions: every position is a row of sines and cosines of slower and slower waves (Vaswani et al. 2017,
section 3.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

LAYOUTS = ("neighbours", "halves")


@dataclass(frozen=True, kw_only=True)
class Sinusoidal:
    """Rows that are added at the input; nothing is learned.

    `layout` says where a wave's sine and cosine stand: "neighbours" at 2i and 2i + 1, as the paper writes it;
    "halves" at i and i + width/2, as the paper's own code and Marian have it. `closed` spaces the waves so that the
    slowest is exactly `base` (that code, and fairseq after it), where the paper's formula stops one step short.
    `single` computes angles in float32, as fairseq does, and is as far off at distant positions.
    """

    width: int
    base: float = 10_000.0
    layout: str = "neighbours"
    closed: bool = False
    single: bool = False

    def frequencies(self) -> Float[Tensor, " wave"]:
        """Return the angle that each wave turns per position, in float64 unless `single`: base^(-2i/width)."""
        half = self.width // 2
        step = math.log(self.base) / max(1, half - 1) if self.closed else math.log(self.base) / half
        return torch.exp(-step * torch.arange(half, dtype=torch.float32 if self.single else torch.float64))

    def wavelengths(self) -> Float[Tensor, " wave"]:
        """Return how many positions each wave takes to come round: 2 pi .. 2 pi base."""
        return 2 * math.pi / self.frequencies()

    def rows(self, positions: Int[Tensor, "*where"]) -> Float[Tensor, "*where width"]:
        """Return the rows of any positions in float32; angles are computed in float64, so that far ones stay exact."""
        frequencies = self.frequencies().to(positions.device)
        angles = positions[..., None].to(frequencies.dtype) * frequencies
        return self._joined(angles.sin(), angles.cos()).float()

    def shift(self, offset: int) -> Float[Tensor, "width width"]:
        """Return the matrix M in float64 with rows(position + offset) = M rows(position), whatever the position.

        Each wave's (sine, cosine) is turned by offset x frequency; M knows nothing of where it is applied, which is
        why a model can learn to look "three back" (section 3.5: "a linear function").
        """
        angles = offset * self.frequencies()
        matrix = torch.zeros(self.width, self.width, dtype=torch.float64)
        sines, cosines = self.places()
        matrix[sines, sines] = matrix[cosines, cosines] = angles.cos()
        matrix[sines, cosines], matrix[cosines, sines] = angles.sin(), -angles.sin()
        return matrix

    def places(self) -> tuple[Int[Tensor, " wave"], Int[Tensor, " wave"]]:
        """Return the dimensions that hold each wave's sine, and those that hold its cosine."""
        wave = torch.arange(self.width // 2)
        return (2 * wave, 2 * wave + 1) if self.layout == "neighbours" else (wave, wave + self.width // 2)

    def _joined(self, sines: Tensor, cosines: Tensor) -> Tensor:
        if self.layout == "halves":
            return torch.cat((sines, cosines), dim=-1)
        return torch.stack((sines, cosines), dim=-1).flatten(-2)
