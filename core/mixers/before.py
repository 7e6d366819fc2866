"""A short convolution that looks back only: each channel's weighted sum of its own last few values (Gu and Dao 2023,
section 3.4, figure 3)."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.shapes import Hidden

Earlier = Float[Tensor, "batch before width"]


class Before(nn.Conv1d):
    """Mixes `kernel` positions of each channel, the last of them its own place; no channel sees another."""

    def __init__(self, channels: int, kernel: int, *, bias: bool) -> None:
        super().__init__(channels, channels, kernel, groups=channels, bias=bias)

    def forward(self, hidden: Hidden, earlier: Earlier | None) -> tuple[Hidden, Earlier]:  # type: ignore[override]
        """Return the sums, and the values that the next position needs; `earlier` are those of a call before, zeros
        where there was none."""
        count = self.kernel_size[0] - 1
        seen = hidden.new_zeros(len(hidden), count, hidden.shape[2]) if earlier is None else earlier
        seen = torch.cat((seen, hidden), dim=1)
        return super().forward(seen.mT).mT, seen[:, seen.shape[1] - count :]
