"""Norms keep the numbers of each position at one size."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import layer_norm, rms_norm

from core.products import is_one_row

Normed = Float[Tensor, "*place width"]


class LayerNorm(nn.Module):
    """Centre, scale to unit variance, then stretch and, with a bias, shift (Ba et al. 2016, equation 4)."""

    def __init__(self, width: int, *, epsilon: float, bias: bool = True) -> None:
        super().__init__()
        self.epsilon = float(epsilon)
        self.weight = nn.Parameter(torch.empty(width))
        self.bias = nn.Parameter(torch.empty(width)) if bias else None

    def forward(self, hidden: Normed) -> Normed:
        """Normalise each position."""
        return layer_norm(hidden, self.weight.shape, self.weight, self.bias, self.epsilon)


class RMSNorm(nn.Module):
    """Scale to unit root mean square, without centring (Zhang and Sennrich 2019, equation 4).

    `offset` is added to the gain, for families whose files hold its difference from one.
    """

    def __init__(self, width: int, *, epsilon: float, offset: float = 0.0) -> None:
        super().__init__()
        self.epsilon, self.offset = float(epsilon), offset
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, hidden: Normed) -> Normed:
        """Normalise each position; squares of half-precision numbers overflow, so they are taken in float32."""
        gain = self.weight + self.offset if self.offset else self.weight
        if is_one_row(hidden):
            return one_row(hidden, gain, self.epsilon)
        if hidden.dtype is torch.float32:
            return rms_norm(hidden, gain.shape, gain, self.epsilon)
        exact = hidden.to(torch.promote_types(hidden.dtype, torch.float32))
        size = (exact.square().mean(-1, keepdim=True) + self.epsilon).sqrt()
        return (exact / size).to(hidden.dtype) * gain


def one_row(hidden: Normed, gain: Float[Tensor, " width"], epsilon: float) -> Normed:
    """Return the RMSNorm of a single position: the sum of its squares is its product with itself, which costs a third
    of squaring and then adding up."""
    exact = hidden.float() if hidden.itemsize < 4 else hidden
    row = exact.view(-1)
    size = math.sqrt(torch.dot(row, row).item() / row.numel() + epsilon)
    return (exact / size).to(hidden.dtype).mul_(gain)


class GroupedRMSNorm(RMSNorm):
    """An RMSNorm of each of `groups` parts of the width by itself (Dao and Gu 2024, section 7.3)."""

    def __init__(self, width: int, *, groups: int, epsilon: float) -> None:
        super().__init__(width, epsilon=epsilon)
        self.groups = groups

    def forward(self, hidden: Normed) -> Normed:
        """Normalise each group of each position."""
        exact = hidden.to(torch.promote_types(hidden.dtype, torch.float32)).unflatten(-1, (self.groups, -1))
        size = (exact.square().mean(-1, keepdim=True) + self.epsilon).sqrt()
        return (exact / size).flatten(-2).to(hidden.dtype) * self.weight
