"""What a weights file offers: names, shapes, and one tensor at a time."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor


@runtime_checkable
class Stored(Protocol):
    """An opened weights file, or several that belong together."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tensors."""

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one tensor as a linear layer wants it, output x input."""

    def kind(self, name: str) -> str:
        """Return how one tensor is stored: F32, BF16, Q4_1 ..."""

    def read(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return one tensor on the CPU."""
