"""A Tape that keeps large numbers out of the way of what is only passing through.

What stays, lying between what is freed a moment later, leaves gaps in memory that nothing fits into: nearly half as
much again for a long text. So large tensors move into pages of their own, and become tensors again when they are read:
even the little that a tensor object takes would lie in those gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any

import torch
from torch import Tensor

from core.mixers.softmax import Attention
from core.tape import Place, Tape
from core.tracing.pages import Pages

LARGE = 1 << 18
PAGES = Pages()


class KeepingTape(Tape):
    """Records like a Tape, and gives back the same numbers."""

    def note(self, what: str, place: Place, value: Any) -> None:
        """Record how to get `value` back, if somebody wants it."""
        if what in self.wanted:
            super().note(what, place, put_away(value))

    def read(self, what: str, side: str) -> list[Any]:
        """Return what was recorded on one side, in the order of the layers."""
        return [get_back() for get_back in super().read(what, side)]


def put_away(value: Any) -> Callable[[], Any]:
    """Return a function that gives a tensor, or attention, back; nothing of it stays where it was, if it is large."""
    if isinstance(value, Attention) and is_large(value.queries):
        parts = {field.name: put_away(getattr(value, field.name)) for field in fields(value)}
        return cache(lambda: Attention(**{name: get_back() for name, get_back in parts.items()}))
    if isinstance(value, Tensor) and is_large(value):
        dtype, shape, pages = value.dtype, tuple(value.shape), PAGES.take(value.nbytes)
        torch.frombuffer(pages, dtype=dtype, count=value.numel()).view(shape).copy_(value)
        return cache(lambda: PAGES.tensor(pages, dtype, shape))
    return lambda: value


def is_large(tensor: Tensor) -> bool:
    """Say whether a tensor is in the computer's own memory and leaves a gap worth avoiding there."""
    return tensor.device.type == "cpu" and tensor.nbytes >= LARGE
