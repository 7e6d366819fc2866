"""Sixteen published configurations, by what a cache and a bill need to know of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from core.cost.chips import ASSETS
from core.cost.keeping import Keys, Latent, Layer, State, cache_bytes, cache_read, looking
from core.cost.work import Number

STATE_SIZE = 4
READ = ("own", "copy")
KINDS = ("every_head", "grouped", "one_head", "latent", "windowed", "hybrid", "state")


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published model in numbers, from the paper and the folder in `source`; they were read at `address`, which is
    its authors' `own` or a `copy` of that (`read`, one of READ).

    Of `layers`, `windowed` look back over `window` positions only, `states` have a state of `inner` x `state` numbers
    and `taps` positions before it, and all others keep keys and values, or a `latent` with a `turned` key beside it.
    `positions` is the longest text it was published for (0: not stated). Of all `parameters`, `in_experts` are in
    `experts`, of which each token is sent to `chosen`; `width` x `pieces` is its table of pieces, which is the output
    head too where it is `tied`.
    """

    name: str
    title: str
    kind: str
    layers: int
    width: int
    pieces: int
    parameters: int
    source: str
    read: str
    address: str
    heads: int = 0
    groups: int = 0
    key_width: int = 0
    value_width: int = 0
    windowed: int = 0
    window: int = 0
    latent: int = 0
    turned: int = 0
    states: int = 0
    inner: int = 0
    state: int = 0
    taps: int = 0
    positions: int = 0
    tied: bool = False
    experts: int = 1
    chosen: int = 1
    in_experts: int = 0

    @property
    def active(self) -> int:
        """Parameters that one token meets."""
        return self.parameters - self.in_experts + self.in_experts * self.chosen // self.experts

    @property
    def head(self) -> int:
        """Parameters of the output head."""
        return self.width * self.pieces

    @property
    def multiplied(self) -> int:
        """Parameters that one token is multiplied by in the layers: all that it meets, without tables to look things
        up in and without the output head."""
        return self.active - (1 if self.tied else 2) * self.head

    def touched(self, tokens: int) -> Number:
        """Return how many parameters are read when so many tokens go through together: of experts, those that some
        token is sent to, if each is as likely; of the table of pieces, one row a token, which is left out."""
        missed = (1 - self.chosen / self.experts) ** tokens
        looked_up = 0 if self.tied else self.head
        return self.parameters - looked_up - self.in_experts * missed

    def keeps(self, size: int = 2) -> tuple[Layer, ...]:
        """Return what its layers keep, in numbers of `size` bytes; a state is kept in four bytes."""
        full = self._latent(size) if self.latent else self._keys(size, 0)
        whole, some = self.layers - self.windowed - self.states, self._keys(size, self.window)
        return (*[full] * whole, *[some] * self.windowed, *[self._state()] * self.states)

    def kept(self, length: int, size: Number = 2) -> Number:
        """Return the bytes of the cache of a text; keys, values and latents may be shrunk to a part of a byte, a state
        is not."""
        return self._sized(size, lambda layers: cache_bytes(layers, length))

    def fetched(self, start: int, end: int, size: Number = 2) -> Number:
        """Return the bytes of it that are read when the positions from `start` to `end` are written."""
        return self._sized(size, lambda layers: cache_read(layers, start, end))

    def looks(self, start: int, end: int, *, reading: bool) -> int:
        """Return the operations of looking around, or of the state, for the positions from `start` to `end`; while
        `reading`, a latent is spelled out into keys and values, which costs fewer."""
        if reading and self.latent:
            return self.layers * self._keys(2, 0).operations(start, end)
        return looking(self.keeps(), start, end)

    def _sized(self, size: Number, count: Callable[[tuple[Layer, ...]], int]) -> Number:
        layers = self.keeps(1)
        states = tuple(layer for layer in layers if isinstance(layer, State))
        others = tuple(layer for layer in layers if not isinstance(layer, State))
        return size * count(others) + count(states)

    def _latent(self, size: int) -> Latent:
        return Latent(heads=self.heads, width=self.latent, turned=self.turned, size=size)

    def _keys(self, size: int, window: int) -> Keys:
        return Keys(
            heads=self.heads,
            groups=self.groups,
            key_width=self.key_width,
            value_width=self.value_width,
            size=size,
            window=window,
        )

    def _state(self) -> State:
        numbers = self.inner * self.state
        return State(numbers=numbers, held=numbers * STATE_SIZE + (self.taps - 1) * self.inner * 2)


@cache
def published() -> tuple[Published, ...]:
    """Return the published configurations, in the order of the file."""
    told = tomllib.loads((ASSETS / "models.toml").read_text(encoding="utf-8"))
    return tuple(Published(**row) for row in told["model"])
