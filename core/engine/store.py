"""A store of big things, bounded in bytes: one making for many askers, and nothing in use is ever dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Generic, TypeVar

from core.tracing.shelf import Sized

Thing = TypeVar("Thing", bound=Sized)
Value = TypeVar("Value")
SMALL = 1024


@dataclass(frozen=True, kw_only=True)
class Held(Generic[Value]):
    """Any value, and what keeping it costs."""

    value: Value
    bytes: int


def hold(value: Value) -> Held[Value]:
    """Wrap a value: its arrays are counted, however deep they lie, and a little for everything else."""
    found = {id(one): one.nbytes for one in arrays(value)}
    return Held(value=value, bytes=SMALL + sum(found.values()))


def arrays(value: object) -> Iterator[Any]:
    """Yield whatever counts its own bytes, in frozen values, tuples, lists and mappings of any depth."""
    if value is None or isinstance(value, str | int | float | type):
        return
    if isinstance(getattr(value, "nbytes", None), int):
        yield value
    elif is_dataclass(value):
        yield from arrays([getattr(value, one.name) for one in fields(value)])
    elif isinstance(value, Mapping):
        yield from arrays([*value.values()])
    elif isinstance(value, tuple | list):
        for one in value:
            yield from arrays(one)


@dataclass
class Slot(Generic[Thing]):
    """One thing, or its making: whoever comes second waits on the lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    thing: Thing | None = None
    users: int = 0


class Store(Generic[Thing]):
    """Things by key, the least recently used dropped when all together exceed `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._slots: OrderedDict[Hashable, Slot[Thing]] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def use(self, key: Hashable, make: Callable[[], Thing]) -> Iterator[Thing]:
        """Lend the thing under `key`, made once however many ask; a failed making leaves no trace."""
        slot = self._enter(key)
        try:
            with slot.lock:
                if slot.thing is None:
                    slot.thing = make()
                thing = slot.thing
            self._shrink()
            yield thing
        finally:
            self._leave(key, slot)

    def drop(self, key: Hashable) -> None:
        """Forget one thing; whoever uses it now keeps it until done."""
        with self._lock:
            self._slots.pop(key, None)

    def drop_all(self, belongs: Callable[[Hashable], bool]) -> None:
        """Forget every thing whose key belongs to something that is gone."""
        with self._lock:
            for key in [key for key in self._slots if belongs(key)]:
                del self._slots[key]

    @property
    def bytes(self) -> int:
        """Bytes of all things held."""
        with self._lock:
            return self._held()

    def __len__(self) -> int:
        return len(self._slots)

    def _enter(self, key: Hashable) -> Slot[Thing]:
        with self._lock:
            slot = self._slots.setdefault(key, Slot())
            self._slots.move_to_end(key)
            slot.users += 1
            return slot

    def _leave(self, key: Hashable, slot: Slot[Thing]) -> None:
        with self._lock:
            slot.users -= 1
            if slot.thing is None and slot.users == 0 and self._slots.get(key) is slot:
                del self._slots[key]
        self._shrink()

    def _held(self) -> int:
        return sum(slot.thing.bytes for slot in self._slots.values() if slot.thing is not None)

    def _shrink(self) -> None:
        with self._lock:
            held = self._held()
            idle = [key for key, slot in self._slots.items() if slot.users == 0 and slot.thing is not None]
            for key in idle:
                if held <= self.limit:
                    return
                thing = self._slots.pop(key).thing
                held -= thing.bytes if thing is not None else 0
