"""What a replay tells: one event after another, each with the pool as it was left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KINDS = (
    "arrived",
    "queued",
    "matched",
    "allocated",
    "copied",
    "computed",
    "wrote",
    "filled",
    "remembered",
    "evicted",
    "preempted",
    "finished",
    "freed",
)
Tables = tuple[tuple[int, tuple[int, ...], int], ...]


@dataclass(frozen=True, kw_only=True)
class Branch:
    """One node of the tree of beginnings: its pieces, which begin at position `start`, the number of the node before
    it (None: the root), its blocks, and how many texts in work run through it."""

    ids: tuple[int, ...]
    start: int
    parent: int | None
    blocks: tuple[int, ...]
    locks: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Occupancy:
    """The pool at one moment: by how many each block is held [block] and how many of its slots are written [block];
    the table and the length of each request in work, by its number; the tree of beginnings."""

    holders: NDArray[np.int16]
    filled: NDArray[np.int16]
    tables: Tables
    tree: tuple[Branch, ...]

    @property
    def free(self) -> int:
        """How many blocks nobody holds."""
        return int((self.holders == 0).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Event:
    """Something that happened in a round: its kind, to which request, how many tokens and which blocks it concerned,
    which piece was written, and the pool afterwards."""

    kind: str
    round: int
    request: int | None
    tokens: int
    blocks: tuple[int, ...]
    ident: int | None
    pool: Occupancy


@dataclass(frozen=True, kw_only=True, eq=False)
class Served:
    """One request from its arrival to its end.

    `arrived`, `began` and `ended` are rounds; `matched` tokens of its prompt were found in the tree and `computed` ones
    were not, both counted again after each of its `preemptions`. It ended at its `limit` or with an `end` piece.
    """

    number: int
    ids: tuple[int, ...]
    labels: tuple[str, ...]
    written: tuple[int, ...]
    written_labels: tuple[str, ...]
    arrived: int
    began: int
    ended: int
    matched: int
    computed: int
    preemptions: int
    reason: str

    @property
    def kept(self) -> int:
        """How many positions were kept in the end: the last piece is written and never read."""
        return len(self.ids) + len(self.written) - 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """Every event of a replay in order, and what became of every request.

    `block_size` positions lie in each of `blocks` blocks; `per_token` bytes are kept for each; `together` requests
    are in work at most, and `sharing` says whether beginnings were shared.
    """

    events: tuple[Event, ...]
    requests: tuple[Served, ...]
    block_size: int
    blocks: int
    together: int
    per_token: int
    sharing: bool

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return self.events[-1].round + 1

    @property
    def bytes(self) -> int:
        """What is reserved for the pool."""
        return self.blocks * self.block_size * self.per_token

    @property
    def computed(self) -> int:
        """How many tokens of prompts went through the model."""
        return sum(request.computed for request in self.requests)

    @property
    def matched(self) -> int:
        """How many tokens of prompts did not have to, since their keys and values were there."""
        return sum(request.matched for request in self.requests)

    def ends(self) -> tuple[Event, ...]:
        """Return the last event of every round; where nothing happened, the last one before."""
        last = {event.round: event for event in self.events}
        found = list[Event]()
        for number in range(self.rounds):
            found.append(last.get(number) or found[-1])
        return tuple(found)
