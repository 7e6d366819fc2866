"""What was last worked out of a trace, beside it: the next question is often about the same layer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar, cast, runtime_checkable


@runtime_checkable
class Sized(Protocol):
    """Something that knows what keeping it costs."""

    @property
    def bytes(self) -> int:
        """Bytes held."""


Thing = TypeVar("Thing", bound=Sized)


class Shelf:
    """Room for one thing. Two people who look at two layers take turns on it: then it is worked out again."""

    def __init__(self) -> None:
        self._kept: tuple[Hashable, Sized] | None = None

    def last(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """Return what lies here under `key`; anything else makes room for it."""
        kept = self._kept
        if kept is None or kept[0] != key:
            self._kept = kept = (key, make())
        return cast(Thing, kept[1])

    @property
    def bytes(self) -> int:
        """What keeping it costs."""
        return 0 if self._kept is None else self._kept[1].bytes
