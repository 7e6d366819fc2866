"""The cache as it fills: what each layer keeps of a text of any length, and what sharing keys saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core import cost
from core.models import Model
from core.serving import layers
from core.tracing import Trace

Bytes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Filling:
    """The bytes of a cache, by formula.

    Of each mixer of the decoder [layer]: `kinds` (keys, window, source, state), `windows` (0: none), `heads` and
    `groups` (0 for a state), and the bytes that one more token costs; `bytes` [layer, length] for each of `lengths`.
    `weight_bytes` are those of the parameters, all read once for every piece that is written. `every_head` and
    `one_head` [length] are what the cache would take if each query head had a key of its own, or if all shared one.
    """

    kinds: tuple[str, ...]
    windows: tuple[int, ...]
    heads: tuple[int, ...]
    groups: tuple[int, ...]
    per_token: tuple[int, ...]
    lengths: tuple[int, ...]
    bytes: Bytes
    weight_bytes: int
    every_head: Bytes
    one_head: Bytes

    @property
    def total(self) -> Bytes:
        """The bytes of all layers [length]."""
        found: Bytes = self.bytes.sum(axis=0)
        return found

    @property
    def one_more(self) -> int:
        """The bytes that one more token costs in all layers."""
        return sum(self.per_token)


def filling(found: Trace, lengths: Sequence[int] = ()) -> Filling:
    """Return what the cache of a trace's model takes at each length; with none named, at every length up to the trace's
    own.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder.
    """
    written = found.sample.target or found.sample
    places = len(found.sample) if "encoder" in found.model.sides else 0
    return filled(found.model, tuple(lengths) or tuple(range(1, len(written) + 1)), places)


def filled(model: Model, lengths: Sequence[int], places: int = 0) -> Filling:
    """Return the same for a model; `places` is the length of what its decoder reads.

    Raises:
        CoreError: `not_a_writer`.
    """
    kept = layers(model, places)
    keys = [_keys(layer) for layer in kept]
    return Filling(
        kinds=tuple(layer.kind for layer in kept),
        windows=tuple(one.window if one else 0 for one in keys),
        heads=tuple(one.heads if one else 0 for one in keys),
        groups=tuple(one.groups if one else 0 for one in keys),
        per_token=tuple(layer.per_token for layer in kept),
        lengths=tuple(lengths),
        bytes=np.array([[layer.bytes(length) for length in lengths] for layer in kept], dtype=np.int64),
        weight_bytes=model.weight_bytes,
        every_head=_totals([_grouped(layer, every=True) for layer in kept], lengths),
        one_head=_totals([_grouped(layer, every=False) for layer in kept], lengths),
    )


def _totals(kept: Sequence[cost.Layer], lengths: Sequence[int]) -> Bytes:
    return np.array([cost.cache_bytes(kept, length) for length in lengths], dtype=np.int64)


def _keys(layer: cost.Layer) -> cost.Keys | None:
    if isinstance(layer, cost.Source):
        return layer.keys
    return layer if isinstance(layer, cost.Keys) else None


def _grouped(layer: cost.Layer, *, every: bool) -> cost.Layer:
    """Return a layer as it were if every query head had a key of its own, or all shared one."""
    if isinstance(layer, cost.Source):
        return replace(layer, keys=replace(layer.keys, groups=layer.keys.heads if every else 1))
    return replace(layer, groups=layer.heads if every else 1) if isinstance(layer, cost.Keys) else layer
