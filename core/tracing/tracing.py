"""Tracing: one walk of a model over a sample, with a Tape along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import torch
from torch import Tensor

from core.changes import Change
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.mixers.softmax import of_sentence
from core.models import Model, walk_over
from core.tape import Tape
from core.tracing.trace import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class BatchTrace:
    """The traces of several sentences that were computed together."""

    traces: tuple[Trace, ...]

    def __len__(self) -> int:
        return len(self.traces)

    def item(self, number: int) -> Trace:
        """Return one sentence's trace, its padding cropped."""
        return self.traces[number]


@overload
def trace(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> Trace: ...
@overload
def trace(model: Model, sample: Batch, changes: tuple[Change, ...] = ()) -> BatchTrace: ...
@torch.no_grad()
def trace(model: Model, sample: Sample | Batch, changes: tuple[Change, ...] = ()) -> Trace | BatchTrace:
    """Run `model` once over a sample (or a batch of them) and keep what every map follows from.

    Raises:
        CoreError: `too_long`, `id_out_of_range`, or `not_finite` naming the first layer whose numbers overflowed.
    """
    batch = sample if isinstance(sample, Batch) else Batch(samples=(sample,))
    ids, types, keep = (torch.from_numpy(array).to(model.device) for array in batch.arrays())
    _check(model, ids)
    tape = Tape()
    walk = walk_over(keep, tape=tape, changes=tuple(changes))
    model.run(ids, walk, types=types if model.spec.types > 1 else None)
    _check_finite(tape, model)
    traces = tuple(_one(model, batch.samples[row], tape, keep[row], row) for row in range(len(batch)))
    return BatchTrace(traces=traces) if isinstance(sample, Batch) else traces[0]


def _one(model: Model, sample: Sample, tape: Tape, keep: Tensor, row: int) -> Trace:
    alone = bool(keep.all()) and row == 0 and tape.read("final", model.sides[0])[0].shape[0] == 1
    crop = (lambda state: state) if alone else (lambda state: state[row : row + 1, keep])
    attention = {
        side: tuple(a if alone else of_sentence(a, row, keep, keep) for a in tape.read("attention", side)) for side in model.sides
    }
    return Trace(
        model=model,
        sample=sample,
        attention=attention,
        hiddens={side: tuple(map(crop, tape.read("hidden", side))) for side in model.sides},
        finals={side: crop(tape.read("final", side)[0]) for side in model.sides},
    )


def _check(model: Model, ids: Tensor) -> None:
    if ids.shape[1] > model.spec.positions:
        raise CoreError("too_long", came=ids.shape[1], allowed=model.spec.positions)
    if ids.shape[1] == 0:
        raise CoreError("no_pieces", came=0)
    if int(ids.min()) < 0 or int(ids.max()) >= model.spec.pieces:
        raise CoreError("id_out_of_range", came=int(ids.max()), allowed=model.spec.pieces - 1)


def _check_finite(tape: Tape, model: Model) -> None:
    for side in model.sides:
        states = tape.read("hidden", side)
        if not bool(states[-1].isfinite().all()):
            first = next(n for n, state in enumerate(states) if not bool(state.isfinite().all()))
            raise CoreError("not_finite", side=side, layer=max(0, first - 1))


__all__ = ["BatchTrace", "trace"]
