"""A Tape that keeps large numbers out of the way of what is only passing through.

What stays, lying between what is freed a moment later, leaves gaps in memory that nothing fits into: nearly half as
much again for a long text. So large tensors move into pages of their own.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from torch import Tensor

from core.mixers.softmax import Attention
from core.tape import Place, Tape
from core.tracing.pages import Pages

LARGE = 1 << 18
PAGES = Pages()


class KeepingTape(Tape):
    """Records like a Tape."""

    def note(self, what: str, place: Place, value: Any) -> None:
        """Record `value`, if somebody wants it."""
        if what in self.wanted:
            super().note(what, place, put_away(value))


def put_away(value: Any) -> Any:
    """Return the same tensor or attention; nothing of it stays where it was, if it is large."""
    if isinstance(value, Attention) and is_large(value.queries):
        return Attention(**{field.name: put_away(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, Tensor) and is_large(value):
        return PAGES.tensor(value).copy_(value)
    return value


def is_large(tensor: Tensor) -> bool:
    """Say whether a tensor is in the computer's own memory and leaves a gap worth avoiding there."""
    return tensor.device.type == "cpu" and tensor.nbytes >= LARGE
