"""What goes in before anything is written: walks of texts, the ids that writing begins after, an encoder's state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.changes import Change
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.models import Model
from core.shapes import Hidden
from core.walk import Walk, walk_over


def writable(model: Model) -> None:
    """Make sure that a model writes.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder, `classes_only` for one whose output is classes.
    """
    if "decoder" not in model.sides:
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    if model.classifies:
        raise CoreError("classes_only", name=model.name)


def begun(model: Model, sample: Sample) -> NDArray[np.int64]:
    """Return the ids after which a model writes, once they are known to fit and to leave room for one more.

    Raises:
        CoreError: `no_start`, `no_pieces`, `id_out_of_range` or `too_long`.
    """
    ids = begins(model, sample)
    if not len(ids):
        raise CoreError("no_pieces", came=0)
    known(ids, model.spec.written_pieces)
    if model.spec.positions and len(ids) >= model.spec.positions:
        raise CoreError("too_long", came=len(ids) + 1, allowed=model.spec.positions)
    return ids


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
    return encoding(model, Batch(samples=(sample,)), changes)[1]


def encoding(model: Model, batch: Batch, changes: tuple[Change, ...] = ()) -> tuple[Walk, Hidden]:
    """Return the walk of a batch through its encoder, and the final state [batch, position, width]."""
    walk = entering(model, replace_targets(batch), changes=tuple(changes))
    return walk, model.side("encoder")(walk)


def replace_targets(batch: Batch) -> Batch:
    """Return the batch without what its answers begin with."""
    return replace(batch, samples=tuple(replace(sample, target=None) for sample in batch.samples))


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
    known(ids, pieces or model.spec.pieces)
    if model.spec.types > 1 and int(types.max()) >= model.spec.types:
        raise CoreError("out_of_range", what="type", came=int(types.max()), allowed=model.spec.types - 1)
    found, kinds, kept = (torch.from_numpy(array).to(model.device) for array in (ids, types, keep))
    return walk_over(kept, ids=found, types=kinds if model.spec.types > 1 else None, **rest)


def known(ids: NDArray[np.int64], pieces: int) -> None:
    """Make sure that a vocabulary of so many pieces has every id.

    Raises:
        CoreError: `id_out_of_range`.
    """
    strange = ids[(ids < 0) | (ids >= pieces)]
    if len(strange):
        raise CoreError("id_out_of_range", came=int(strange[0]), allowed=pieces - 1)
