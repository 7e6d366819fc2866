"""Bytes that are kept, and what looking takes, of layers that remember by keys, by a state or by a latent vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Keys:
    """A layer that keeps the keys and values of every position, or of the last `window` (0: no window).

    `heads` look, `groups` of them share one key and one value (Shazeer 2019; Ainslie et al. 2023, section 2.2); a key
    has `key_width` numbers, a value `value_width`, a number `size` bytes.
    """

    heads: int
    groups: int
    key_width: int
    value_width: int
    size: int
    window: int = 0

    @property
    def kind(self) -> str:
        """The word for what is kept."""
        return "window" if self.window else "keys"

    @property
    def per_token(self) -> int:
        """Bytes that one more position costs, as long as nothing falls out of the window."""
        return self.groups * (self.key_width + self.value_width) * self.size

    def bytes(self, length: int) -> int:
        """Return the bytes kept of a text of that length."""
        return self.per_token * (min(length, self.window) if self.window else length)

    def read(self, start: int, end: int) -> int:
        """Return the bytes that are read when the positions from `start` to `end` are written one after another."""
        return self.per_token * cells(start, end, self.window)

    def operations(self, start: int, end: int) -> int:
        """Return the multiplications and additions of queries with keys and of shares with values, for the positions
        from `start` to `end`, each of which looks back at all that it may."""
        return 2 * self.heads * (self.key_width + self.value_width) * cells(start, end, self.window)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A layer that keeps keys and values of the sequence that a decoder reads: `places` of them, however much is
    written."""

    keys: Keys
    places: int
    kind: str = "source"
    per_token: int = 0

    def bytes(self, length: int) -> int:
        """Return the bytes kept of the source."""
        return self.keys.per_token * self.places if length else 0

    def read(self, start: int, end: int) -> int:
        """Return the bytes that are read of it, once for every position."""
        return self.bytes(1) * (end - start)

    def operations(self, start: int, end: int) -> int:
        """Return the products of the positions from `start` to `end` with all places of the source."""
        keys = self.keys
        return 2 * keys.heads * (keys.key_width + keys.value_width) * self.places * (end - start)


@dataclass(frozen=True, kw_only=True)
class State:
    """A layer whose memory is a state of `numbers`, `held` bytes with what its convolution keeps (Gu and Dao 2023,
    section 3): as large after ten positions as after ten thousand."""

    numbers: int
    held: int
    kind: str = "state"
    per_token: int = 0

    def bytes(self, length: int) -> int:
        """Return the bytes of the state, which is there once something was read."""
        return self.held if length else 0

    def read(self, start: int, end: int) -> int:
        """Return the bytes that are read of it, once for every position."""
        return self.held * (end - start)

    def operations(self, start: int, end: int) -> int:
        """Return what it takes to fade, write and read the state: h = a h + b x, y = c h."""
        return 5 * self.numbers * (end - start)


@dataclass(frozen=True, kw_only=True)
class Latent:
    """A layer that keeps one narrow vector for the keys and values of all heads, and one turned key beside it
    (DeepSeek-AI 2024, section 2.1 and table 1)."""

    heads: int
    width: int
    turned: int
    size: int
    kind: str = "latent"

    @property
    def per_token(self) -> int:
        """Bytes that one more position costs."""
        return (self.width + self.turned) * self.size

    def bytes(self, length: int) -> int:
        """Return the bytes kept of a text of that length."""
        return self.per_token * length

    def read(self, start: int, end: int) -> int:
        """Return the bytes that are read when the positions from `start` to `end` are written one after another."""
        return self.per_token * cells(start, end)

    def operations(self, start: int, end: int) -> int:
        """Return the products with what is kept, where keys and values are never spelled out again (section 2.1.2)."""
        return 2 * self.heads * (2 * self.width + self.turned) * cells(start, end)


Layer = Keys | Source | State | Latent


def cells(start: int, end: int, window: int = 0) -> int:
    """Return how many cells the rows from `start` to `end` of a causal map have, each at most `window` wide."""
    edge = min(max(start, window), end) if window else end
    return (edge * (edge + 1) - start * (start + 1)) // 2 + window * (end - edge)


def keys_and_values(*, layers: int, groups: int, head_width: int, size: int) -> int:
    """Return the bytes that one token costs in equal layers: 2 x layers x key/value heads x head width x bytes (Pope et
    al. 2022, section 2.1)."""
    one = Keys(heads=groups, groups=groups, key_width=head_width, value_width=head_width, size=size)
    return layers * one.per_token


def cache_per_token(layers: Sequence[Layer]) -> int:
    """Return the bytes that one more token costs in all layers."""
    return sum(layer.per_token for layer in layers)


def cache_bytes(layers: Sequence[Layer], length: int) -> int:
    """Return the bytes that all layers keep of a text of that length."""
    return sum(layer.bytes(length) for layer in layers)


def cache_read(layers: Sequence[Layer], start: int, end: int) -> int:
    """Return the bytes of all layers that are read when the positions from `start` to `end` are written one after
    another: all that is kept, for each."""
    return sum(layer.read(start, end) for layer in layers)


def looking(layers: Sequence[Layer], start: int, end: int) -> int:
    """Return the operations of all layers for looking around, or for their state, from one position to another."""
    return sum(layer.operations(start, end) for layer in layers)


def multiplying(parameters: int, positions: int) -> int:
    """Return the operations of matrices with so many parameters on so many positions: a multiplication and an addition
    each (Kaplan et al. 2020, section 2.1)."""
    return 2 * parameters * positions
