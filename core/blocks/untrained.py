"""Weights as they are before any training: drawn from a seed, the same on every machine."""

from __future__ import annotations

import torch
from torch import Tensor


def drawn(*shape: int, seed: int, spread: float = 1.0) -> Tensor:
    """Return normally distributed numbers of mean 0 and standard deviation `spread`."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * spread
