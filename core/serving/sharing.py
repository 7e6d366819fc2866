"""One run at a time: whoever runs a model step after step on a machine that others use as well lets them go between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

Turn = AbstractContextManager[Any]

_turn: ContextVar[Turn] = ContextVar("turn", default=nullcontext())  # noqa: B039  it holds nothing


@contextmanager
def in_turns(turn: Turn) -> Iterator[None]:
    """Let every step that is made inside, in this thread, be made while `turn` is held: a semaphore, for example."""
    before = _turn.set(turn)
    try:
        yield
    finally:
        _turn.reset(before)


def own_turn() -> Turn:
    """Return what is to be held while a step runs; where nobody else is there to wait for, nothing."""
    return _turn.get()
