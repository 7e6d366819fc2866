"""Tracing: one walk of a model over a sample, with a Tape along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import overload

import torch
from torch import Tensor

from core.changes import Change
from core.decoding import generate
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.mixers.softmax import of_sentence
from core.models import Model
from core.tape import Tape
from core.tracing.trace import Trace
from core.walk import Walk, walk_over


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

    An encoder-decoder that is given no target answers first, greedily, and is traced over its own answer.

    Raises:
        CoreError: `too_long`, `no_pieces`, `id_out_of_range`, or `not_finite` naming the first layer whose numbers
        overflowed.
    """
    samples = sample.samples if isinstance(sample, Batch) else (sample,)
    padding = sample.padding if isinstance(sample, Batch) else "right"
    batch = Batch(samples=tuple(with_target(model, one, changes) for one in samples), padding=padding)
    tape = Tape()
    walks = [_walk(model, part, tape, tuple(changes)) for part in (batch, batch.targets) if part is not None]
    model.run(*walks)
    _check_finite(tape, model)
    keeps = [walk.places for walk in walks]
    traces = tuple(
        _one(model, batch.samples[row], tape, [keep[row] for keep in keeps], row) for row in range(len(batch))
    )
    return BatchTrace(traces=traces) if isinstance(sample, Batch) else traces[0]


def with_target(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> Sample:
    """Return the sample with what an encoder-decoder's decoder reads: its own greedy answer where none was given.

    The answer is at most twice the source plus 8 pieces; a closing end piece is never fed and has no row.
    """
    if not {"encoder", "decoder"} <= set(model.sides) or sample.target is not None:
        return sample
    written = list(model.spec.start)
    for step in generate(model, sample, changes, limit=2 * len(sample) + 8):
        if step.ident in model.spec.ends and step.position >= len(model.spec.start):
            break
        written.append(step.ident)
    return replace(sample, target=model.reader.of_ids(written))


def _walk(model: Model, batch: Batch, tape: Tape, changes: tuple[Change, ...]) -> Walk:
    ids, types, keep = (torch.from_numpy(array).to(model.device) for array in batch.arrays())
    signal = batch.signal
    if signal is not None:
        return walk_over(keep, signal=torch.from_numpy(signal).to(model.device), tape=tape, changes=changes)
    _check(model, ids)
    return walk_over(keep, ids=ids, types=types if model.spec.types > 1 else None, tape=tape, changes=changes)


def _one(model: Model, sample: Sample, tape: Tape, keeps: list[Tensor], row: int) -> Trace:
    """Return one sentence's part of what the tape holds, cropped to its real places (one bool mask per sequence)."""
    queries = {"encoder": keeps[0], "decoder": keeps[-1], "cross": keeps[-1]}
    keys = {**queries, "cross": keeps[0]}
    return Trace(
        model=model,
        sample=sample,
        attention={
            side: tuple(of_sentence(layer, row, queries[side], keys[side]) for layer in tape.read("attention", side))
            for side in queries
            if tape.read("attention", side)
        },
        hiddens={side: tuple(_crop(h, row, queries[side]) for h in tape.read("hidden", side)) for side in model.sides},
        finals={side: _crop(tape.read("final", side)[0], row, queries[side]) for side in model.sides},
    )


def _crop(state: Tensor, row: int, keep: Tensor) -> Tensor:
    """Return one sentence's real places, without a copy where there are no others."""
    return state if len(state) == 1 and bool(keep.all()) else state[row : row + 1, keep]


def _check(model: Model, ids: Tensor) -> None:
    if model.spec.positions and ids.shape[1] > model.spec.positions:
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
