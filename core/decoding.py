"""Decoding: a decoder writes one piece after another, each step reusing the keys and values of the steps before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.cache import Cache
from core.changes import Change
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.models import Model
from core.shapes import Hidden
from core.walk import Walk, walk_over


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One written piece: its id, its position, and the logits over the whole vocabulary that it was chosen from."""

    ident: int
    position: int
    logits: NDArray[np.float32]


def generate(model: Model, sample: Sample, changes: tuple[Change, ...] = (), *, limit: int = 20) -> Iterator[Step]:
    """Write up to `limit` pieces, always the likeliest that may be written (greedy): after the sample, or as an answer.

    An encoder-decoder answers from the pieces that its answers begin with, or goes on after the sample's target. A
    closing end piece is written like any other.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder, `classes_only` for one whose output is classes;
            `no_start` where nothing says how an answer begins; `no_pieces` or `id_out_of_range` for what it goes on
            after; `too_long` when the positions run out.
    """
    if "decoder" not in model.sides:
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    if model.classifies:
        raise CoreError("classes_only", name=model.name)
    begun = begins(model, sample)
    if not len(begun):
        raise CoreError("no_pieces", came=0)
    _known(begun, model.spec.written_pieces)
    if model.spec.positions and len(begun) + limit > model.spec.positions:
        raise CoreError("too_long", came=len(begun) + limit, allowed=model.spec.positions)
    source = encoded(model, sample, changes) if "encoder" in model.sides else None
    walk = Walk(positions=torch.empty(1, 0, dtype=torch.long), changes=tuple(changes), source=source)
    return _steps(model, begun, walk, limit)


def begins(model: Model, sample: Sample) -> NDArray[np.int64]:
    """Return the ids after which a model writes.

    Raises:
        CoreError: `no_start`.
    """
    if "encoder" not in model.sides:
        return sample.ids
    if sample.target is None and not model.spec.start:
        raise CoreError("no_start", name=model.name)
    return np.asarray(model.spec.start, dtype=np.int64) if sample.target is None else sample.target.ids


@torch.no_grad()
def encoded(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> Hidden:
    """Return the encoder's final state for one sample [1, position, width]."""
    walk = entering(model, Batch(samples=(sample,)), changes=tuple(changes))
    found: Hidden = model.side("encoder")(walk)
    return found


def entering(model: Model, batch: Batch, **rest: Any) -> Walk:
    """Return the walk of a batch of samples, once it is known to fit.

    Raises:
        CoreError: `input_kind` for what the model does not take, or does not take in this shape; what `reading` raises.
    """
    signal = batch.signal
    if (() if signal is None else signal.shape[1:]) != model.spec.signal:
        shape = " × ".join(map(str, model.spec.signal))
        raise CoreError("input_kind", allowed=f"{', '.join(model.reader.takes)} {shape}".strip())
    if signal is None:
        return reading(model, batch, **rest)
    keep = torch.from_numpy(batch.arrays()[2]).to(model.device)
    return walk_over(keep, signal=torch.from_numpy(signal).to(model.device), **rest)


def reading(model: Model, batch: Batch, *, pieces: int | None = None, **rest: Any) -> Walk:
    """Return the walk of a batch of pieces, those of a text or those that a decoder reads; `pieces` is how many there
    are in its vocabulary.

    Raises:
        CoreError: `too_long`, `no_pieces`, `id_out_of_range` or `out_of_range`.
    """
    ids, types, keep = batch.arrays()
    if model.spec.positions and ids.shape[1] > model.spec.positions:
        raise CoreError("too_long", came=ids.shape[1], allowed=model.spec.positions)
    if not keep.any(axis=1).all():
        raise CoreError("no_pieces", came=0)
    _known(ids, pieces or model.spec.pieces)
    if model.spec.types > 1 and int(types.max()) >= model.spec.types:
        raise CoreError("out_of_range", what="type", came=int(types.max()), allowed=model.spec.types - 1)
    known, kinds, kept = (torch.from_numpy(array).to(model.device) for array in (ids, types, keep))
    return walk_over(kept, ids=known, types=kinds if model.spec.types > 1 else None, **rest)


def _known(ids: NDArray[np.int64], pieces: int) -> None:
    strange = ids[(ids < 0) | (ids >= pieces)]
    if len(strange):
        raise CoreError("id_out_of_range", came=int(strange[0]), allowed=pieces - 1)


def _steps(model: Model, begun: NDArray[np.int64], walk: Walk, limit: int) -> Iterator[Step]:
    ids, cache, settled = torch.from_numpy(begun)[None].to(model.device), Cache(), model.settled
    for number in range(limit):
        logits = _forward(model, ids, walk, cache)
        best = int(_writable(model, logits, number == 0).argmax())
        yield Step(ident=best, position=cache.length, logits=logits.float().cpu().numpy())
        new = torch.tensor([[best]], device=ids.device)
        ids, cache = (new, cache) if settled else (torch.cat((ids, new), dim=1), Cache())


def _writable(model: Model, logits: Tensor, first: bool) -> Tensor:
    """Return the logits without those of pieces that are never written, or never first."""
    banned = model.spec.never | (model.spec.never_first if first else frozenset())
    places = torch.tensor(sorted(banned), dtype=torch.long, device=logits.device)
    return logits.index_fill(0, places, -torch.inf) if banned else logits


@torch.no_grad()
def _forward(model: Model, ids: Tensor, walk: Walk, cache: Cache) -> Tensor:
    """Return the logits [piece] after the last of some new ids, and leave their keys and values in the cache."""
    positions = torch.arange(cache.length, cache.length + ids.shape[1], device=ids.device)[None]
    final = model.side("decoder")(replace(walk, ids=ids, positions=positions, cache=cache, memory={}))
    cache.length += ids.shape[1]
    logits = model.logits(final[:, -1:])
    if logits is None:
        raise CoreError("no_output", name=model.name)
    return logits[0, 0]
