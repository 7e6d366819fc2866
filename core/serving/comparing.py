"""The same text written with the cache and without: the same pieces, and what each of them cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import cost
from core.blocks import Experts
from core.cache import Cache
from core.decoding import encoded, windows
from core.decoding.entering import begun, writable
from core.errors import CoreError
from core.inputs import Sample
from core.mixers.attention import CrossAttention
from core.models import Model
from core.serving.reading import layers, likeliest, step
from core.serving.sharing import own_turn
from core.shapes import Source

Result = TypeVar("Result")
MOST = 128
REPEATS, PATIENCE = 3, 10.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Way:
    """One way of writing, step by step: the pieces, the measured seconds [step], the counted operations [step], and the
    logits [step, piece]."""

    written: tuple[int, ...]
    labels: tuple[str, ...]
    seconds: NDArray[np.float64]
    operations: NDArray[np.int64]
    logits: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """Writing with the cache and without.

    `lengths` is how many positions the last piece of each step saw [step]; `cache_bytes` what is read back of the
    cache in each step with it [step], beside `weight_bytes`, which every step reads; `apart` is the largest difference
    between the two ways' logits. Seconds are medians of `repeats` runs.
    """

    cached: Way
    whole: Way
    lengths: NDArray[np.int64]
    cache_bytes: NDArray[np.int64]
    weight_bytes: int
    apart: float
    repeats: int

    @property
    def identical(self) -> bool:
        """Whether both ways wrote the same pieces."""
        return self.cached.written == self.whole.written


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """How many parameters of matrices one position meets in the layers of a decoder, one position of the sequence that
    it reads, and one position whose logits are asked for."""

    layers: int
    source: int
    head: int


def compare(model: Model, sample: Sample, *, limit: int = 32) -> Comparison:
    """Write up to `limit` pieces twice, with the cache and without, the likeliest ones.

    Operations are counted by formula: products of matrices, of queries with keys and of shares with values; norms,
    activations and what an encoder does once are left out. Both ways are gone in turn, three times where that takes
    seconds and not minutes, after one step that is not timed.

    Raises:
        CoreError: `serving_value` for a limit out of bounds; `not_a_writer`, `classes_only`, `no_start`, `no_pieces`,
            `id_out_of_range` or `too_long`; `not_kept` where what was kept turns wrong when the text grows.
    """
    if not 1 <= limit <= MOST:
        raise CoreError("serving_value", name="limit", came=limit, allowed=f"1 … {MOST}")
    writable(model)
    if not model.settled:
        raise CoreError("not_kept", name=model.name)
    ids = tuple(begun(model, sample).tolist())
    if model.spec.positions and len(ids) + limit > model.spec.positions:
        raise CoreError("too_long", came=len(ids) + limit, allowed=model.spec.positions)
    source = _source(model, sample, ids)
    rounds = _rounds(model, ids, source, limit)
    cached, whole = (_median([pair[way] for pair in rounds]) for way in (0, 1))
    lengths = np.arange(len(ids), len(ids) + limit)
    kept = layers(model, 0 if source is None else source.shape[1])
    return Comparison(
        cached=cached,
        whole=whole,
        lengths=lengths,
        cache_bytes=np.array([cost.cache_bytes(kept, int(length)) for length in lengths], dtype=np.int64),
        weight_bytes=model.weight_bytes,
        apart=float(np.abs(cached.logits - whole.logits).max()),
        repeats=len(rounds),
    )


def _source(model: Model, sample: Sample, ids: tuple[int, ...]) -> Source | None:
    """Return what is answered, encoded, after one step that nobody times."""
    with own_turn():
        source = encoded(model, sample) if "encoder" in model.sides else None
        step(model, ids, Cache(), source)
    return source


def _rounds(model: Model, ids: tuple[int, ...], source: Source | None, limit: int) -> list[tuple[Way, Way]]:
    """Return what was written with the cache and without, one after the other, once or several times."""
    began, found = perf_counter(), list[tuple[Way, Way]]()
    while not found or (len(found) < REPEATS and (perf_counter() - began) / len(found) < PATIENCE / REPEATS):
        found.append((_way(model, ids, source, limit, keep=True), _way(model, ids, source, limit, keep=False)))
    return found


def _median(ways: Sequence[Way]) -> Way:
    """Return one way of writing with the medians of the seconds of several runs."""
    return replace(ways[0], seconds=np.median([way.seconds for way in ways], axis=0))


def operations(model: Model, start: int, end: int, *, places: int = 0, fresh: bool = True) -> int:
    """Return how many multiplications and additions one step takes that computes the positions from `start` to `end`
    and the logits of the last; `fresh` says whether what is read of a source of `places` is projected in it."""
    met = parameters(model)
    products = cost.multiplying(met.layers, end - start) + cost.multiplying(met.head, 1)
    products += cost.multiplying(met.source, places) if fresh else 0
    return products + cost.looking(layers(model, places), start, end)


def parameters(model: Model) -> Parameters:
    """Count the parameters of the matrices of a decoder; of experts, those that a position is sent to."""
    side = model.side("decoder")
    crossing = [part for part in side.layers.modules() if isinstance(part, CrossAttention)]
    source = sum(_matrix(part) for one in crossing for part in (one.keys, one.values))
    around = _matrices(side) - _matrices(side.layers)
    head = 0 if model.network.output is None else _matrices(model.network.output)
    return Parameters(layers=around + _matrices(side.layers) - source, source=source, head=head)


def _matrices(part: nn.Module) -> int:
    experts = [each for each in part.modules() if isinstance(each, Experts)]
    whole = sum(map(_matrix, part.modules()))
    idle = sum(_matrices(each.experts) * (len(each.experts) - each.chosen) // len(each.experts) for each in experts)
    return whole - idle


def _matrix(part: nn.Module) -> int:
    return part.weight.numel() if isinstance(part, nn.Linear | nn.Conv1d) else 0


def _way(model: Model, start: tuple[int, ...], source: Source | None, limit: int, *, keep: bool) -> Way:
    kept = windows(model)
    ids, cache, written = start, Cache(windows=kept), list[int]()
    seconds, counted, logits = list[float](), list[int](), list[NDArray[np.float32]]()
    places = 0 if source is None else source.shape[1]
    for number in range(limit):
        before = cache.length
        with own_turn():
            found, spent = _timed(model, partial(step, model, ids, cache, source))
        seconds.append(spent)
        counted.append(operations(model, before, before + len(ids), places=places, fresh=not before))
        logits.append(found)
        written.append(likeliest(model, found, first=number == 0))
        ids, cache = ((written[-1],), cache) if keep else ((*start, *written), Cache(windows=kept))
    return Way(
        written=tuple(written),
        labels=model.reader.of_ids(written).labels,
        seconds=np.array(seconds),
        operations=np.array(counted, dtype=np.int64),
        logits=np.stack(logits),
    )


def _timed(model: Model, run: Callable[[], Result]) -> tuple[Result, float]:
    """Return what a step gives and its seconds, once the device has finished."""
    _finish(model)
    start = perf_counter()
    found = run()
    _finish(model)
    return found, perf_counter() - start


def _finish(model: Model) -> None:
    if model.device.type == "cuda":
        torch.cuda.synchronize(model.device)
