"""A store of big things, bounded in bytes: one making for many askers, and nothing in use is ever dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Generic, TypeVar

from core.engine.tally import Kept
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
    bytes: int = 0


class Store(Generic[Thing]):
    """Things by key, the least recently used dropped when all together exceed `limit` bytes.

    A thing may grow while it is used: it is weighed when it is made and whenever a user leaves, and only then.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.found, self.made = 0, 0
        self._bytes = 0
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
                    self.made += 1
                    self._weigh(key, slot)
                else:
                    self.found += 1
                thing = slot.thing
            yield thing
        finally:
            self._leave(key, slot)

    def drop(self, key: Hashable) -> None:
        """Forget one thing; whoever uses it now keeps it until done."""
        with self._lock:
            self._forget(key)

    def drop_all(self, belongs: Callable[[Hashable], bool]) -> None:
        """Forget every thing whose key belongs to something that is gone."""
        with self._lock:
            for key in [key for key in self._slots if belongs(key)]:
                self._forget(key)

    @property
    def bytes(self) -> int:
        """Bytes of all things held."""
        return self._bytes

    def weigh(self, keys: Iterable[Hashable]) -> dict[Hashable, int]:
        """Return the bytes of each of some things, without those that are not held."""
        with self._lock:
            return {key: self._slots[key].bytes for key in keys if key in self._slots}

    def kept(self) -> Kept:
        """Return how much is held, and how often what was asked for was there."""
        return Kept(things=len(self), bytes=self.bytes, limit=self.limit, found=self.found, made=self.made)

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
        self._weigh(key, slot)

    def _weigh(self, key: Hashable, slot: Slot[Thing]) -> None:
        """Count a thing as it is now, and make room if all together have become too many."""
        with self._lock:
            if slot.thing is None or self._slots.get(key) is not slot:
                return
            now = slot.thing.bytes
            self._bytes, slot.bytes = self._bytes + now - slot.bytes, now
            if self._bytes > self.limit:
                self._shrink()

    def _shrink(self) -> None:
        for key in [key for key, slot in self._slots.items() if slot.users == 0 and slot.thing is not None]:
            if self._bytes <= self.limit:
                return
            self._forget(key)

    def _forget(self, key: Hashable) -> None:
        slot = self._slots.pop(key, None)
        if slot is not None:
            self._bytes -= slot.bytes
