"""The keys and values that are kept while a model writes, so that each new piece costs one row and not the whole
square; and the states of mixers that need no more than those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxtyping import Float
from torch import Tensor

from core.shapes import Keys, Values
from core.tape import Place

KeptKeys = Float[Tensor, "batch group kept head_width"]
KeptValues = Float[Tensor, "batch group kept value_width"]
FIRST = 64


@dataclass(eq=False)
class Room:
    """What is reserved for one layer's keys, or its values: [batch, group, room, width], of which the places from
    `start` to `end` are filled.

    Room is doubled when it runs out, so that over a whole text each number is moved about once; with a `window` what
    has fallen out of it is written over instead, and the rest moves to the front once in a while.
    """

    window: int = 0
    start: int = 0
    end: int = 0
    tensor: Tensor | None = None

    @property
    def filled(self) -> Tensor | None:
        """What is kept [batch, group, kept, width], without a copy."""
        return None if self.tensor is None else self.tensor[:, :, self.start : self.end]

    def append(self, new: Tensor) -> Tensor:
        """Write new places behind the others; return all that they may look at, before what is too old is let go."""
        count = new.shape[2]
        tensor, self.end = self._room(new), self.end + count
        tensor.narrow(2, self.end - count, count).copy_(new)
        seen = tensor.narrow(2, self.start, self.end - self.start)
        if self.window and self.end - self.start > self.window:
            self.start = self.end - self.window
        return seen

    def take(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order."""
        if self.tensor is not None:
            self.tensor = self.tensor[rows]

    def _room(self, new: Tensor) -> Tensor:
        """Return what is reserved, once there is room for what comes: twice what is there, or twice the window."""
        count = new.shape[2]
        if self.tensor is not None and self.end + count <= self.tensor.shape[2]:
            return self.tensor
        old = self.filled
        kept = 0 if old is None else old.shape[2]
        room = max(kept + count, FIRST, 2 * (self.window or kept + count))
        found = new.new_empty(*new.shape[:2], room, new.shape[3])
        if old is not None:
            found[:, :, :kept].copy_(old)
        self.tensor, self.start, self.end = found, 0, kept
        return found


@dataclass(eq=False)
class Cache:
    """Keys (already turned) and values of every layer as they come, [batch, group, key, width]: groups are kept, and
    not a copy for every query head. `length` positions so far.

    `windows` says how many positions a layer keeps, where it never looks further back. `carried` is what a mixer
    without keys hands on from one position to the next: its size does not grow. `source` holds the keys and values of
    the sequence that a decoder reads, which are made once.

    Whoever keeps them elsewhere, in pages for example, replaces `extend` alone, and counts `length` as it is: raised
    after all layers have gone through.
    """

    length: int = 0
    windows: Mapping[Place, int] = field(default_factory=dict)
    rooms: dict[Place, tuple[Room, Room]] = field(default_factory=dict)
    carried: dict[Place, Any] = field(default_factory=dict)
    source: dict[Place, tuple[KeptKeys, KeptValues]] = field(default_factory=dict)

    def extend(self, place: Place, keys: Keys, values: Values) -> tuple[KeptKeys, KeptValues]:
        """Add the new positions of one layer, and return what is kept there and what is new, in order, the new ones
        last.

        The one door to what is kept. A substitute must return at least the keys that the new positions may look at,
        without a gap, and may leave out older ones; what it returns is read before it is called again.
        """
        rooms = self.rooms.get(place)
        if rooms is None:
            window = self.windows.get(place, 0)
            rooms = self.rooms[place] = Room(window=window), Room(window=window)
        return rooms[0].append(keys), rooms[1].append(values)

    def take(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order: an answer that is given up makes room for another's twin."""
        for pair in self.rooms.values():
            for room in pair:
                room.take(rows)
        self.carried = {place: _taken(state, rows) for place, state in self.carried.items()}
        self.source = {place: (keys[rows], values[rows]) for place, (keys, values) in self.source.items()}

    def kept(self, place: Place) -> int:
        """Return how many positions of a layer are kept."""
        room = self.rooms.get(place, (Room(),))[0]
        return room.end - room.start

    @property
    def bytes(self) -> int:
        """Bytes of all that is kept: it grows by the same number with every piece, until windows are full."""
        parts = [room.filled for pair in self.rooms.values() for room in pair]
        return _bytes([part for part in parts if part is not None]) + self._others

    @property
    def reserved(self) -> int:
        """Bytes of memory that are taken, filled or not."""
        parts = [room.tensor for pair in self.rooms.values() for room in pair]
        return _bytes([part for part in parts if part is not None]) + self._others

    @property
    def _others(self) -> int:
        states = _tensors(list(self.carried.values()))
        return _bytes(states) + _bytes([part for pair in self.source.values() for part in pair])


def _bytes(parts: list[Tensor]) -> int:
    return sum(part.numel() * part.element_size() for part in parts)


def _tensors(state: Any) -> list[Tensor]:
    """Return the tensors of a state, however they are packed."""
    if isinstance(state, Tensor):
        return [state]
    return [part for some in state for part in _tensors(some)] if isinstance(state, tuple | list) else []


def _taken(state: Any, rows: Tensor) -> Any:
    if isinstance(state, Tensor):
        return state[rows]
    return type(state)(_taken(part, rows) for part in state) if isinstance(state, tuple | list) else state
