"""Tracing: one walk of a model over a sample, with a Tape along."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, overload

import torch
from torch import Tensor

from core.changes import Change
from core.decoding import begins, entering, generate, reading
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.mixers.softmax import Attention, of_sentence
from core.models import Model
from core.tape import Tape
from core.tracing.keeping import KeepingTape
from core.tracing.trace import Trace
from core.walk import Walk


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
        CoreError: `input_kind`, `too_long`, `no_pieces`, `id_out_of_range`, or `not_finite` naming the first layer
        whose numbers overflowed.
    """
    samples = sample.samples if isinstance(sample, Batch) else (sample,)
    model = taking(model, samples)
    padding = sample.padding if isinstance(sample, Batch) else "right"
    batch = Batch(samples=tuple(with_target(model, one, changes) for one in samples), padding=padding)
    tape = KeepingTape()
    walks = walks_over(model, batch, tape=tape, changes=tuple(changes))
    model.run(*walks)
    _check_finite(tape)
    keeps = [walk.places for walk in walks]
    traces = tuple(
        _one(model, batch.samples[row], tape, [keep[row] for keep in keeps], row) for row in range(len(batch))
    )
    return BatchTrace(traces=traces) if isinstance(sample, Batch) else traces[0]


def taking(model: Model, samples: tuple[Sample, ...]) -> Model:
    """Return the model that takes these samples, the one for pictures where there are two.

    Raises:
        CoreError: `input_kind` for a kind that it does not take, or for two kinds at once.
    """
    kinds = {sample.given for sample in samples}
    if len(kinds) != 1 or not kinds <= set(model.takes):
        raise CoreError("input_kind", allowed=", ".join(model.takes))
    return model.taking(kinds.pop())


def walks_over(model: Model, batch: Batch, **rest: Any) -> list[Walk]:
    """Return the walk of a batch, and that of what its decoder reads where it has one.

    Raises:
        CoreError: what `entering` and `reading` raise.
    """
    source, targets = entering(model, batch, **rest), batch.targets
    return [source] if targets is None else [source, reading(model, targets, pieces=model.spec.written_pieces, **rest)]


def with_target(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> Sample:
    """Return the sample with what an encoder-decoder's decoder reads, where nothing was given.

    It is the model's own greedy answer, of at most twice the source plus 8 pieces; a closing end piece is never fed and
    has no row. A model that judges reads its source once more, one place later; one without an output, the start only.
    """
    if not {"encoder", "decoder"} <= set(model.sides) or sample.target is not None:
        return sample
    written = [int(ident) for ident in begins(model, sample)]
    if model.classifies:
        written += sample.ids[:-1].tolist()
    elif model.network.output is not None:
        written += answered(model, sample, changes)
    return replace(sample, target=model.reader.of_ids(written))


def answered(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> list[int]:
    """Return the ids of a greedy answer, without what it begins with and without the end piece that closes it."""
    limit = 2 * len(sample) + 8
    if model.spec.positions:
        limit = min(limit, model.spec.positions - len(begins(model, sample)))
    steps = generate(model, sample, changes, limit=limit)
    return [step.ident for step in takewhile(lambda step: step.ident not in model.spec.ends, steps)]


def _one(model: Model, sample: Sample, tape: Tape, keeps: list[Tensor], row: int) -> Trace:
    """Return one sentence's part of what the tape holds, cropped to its real places (one bool mask per sequence)."""
    queries = {"encoder": keeps[0], "decoder": keeps[-1], "cross": keeps[-1]}
    keys = {**queries, "cross": keeps[0]}
    return Trace(
        model=model,
        sample=sample,
        attention={
            side: tuple(layer and of_sentence(layer, row, queries[side], keys[side]) for layer in layers)
            for side in queries
            if any(layers := tape.read("attention", side))
        },
        hiddens={side: tuple(_crop(h, row, queries[side]) for h in tape.read("hidden", side)) for side in model.sides},
        finals={side: _crop(tape.read("final", side)[0], row, queries[side]) for side in model.sides},
    )


def _crop(state: Tensor, row: int, keep: Tensor) -> Tensor:
    """Return one sentence's real places, without a copy where there are no others."""
    return state if len(state) == 1 and bool(keep.all()) else state[row : row + 1, keep]


def _check_finite(tape: Tape) -> None:
    """Refuse a run whose numbers overflowed. The fused kernel can hide it, so what it was given is asked too."""
    for what, side in dict.fromkeys((what, place.side) for what, place in tape.records):
        for number, value in enumerate(tape.read(what, side)):
            parts = (value.queries, value.keys, value.values) if isinstance(value, Attention) else (value,)
            if not all(_finite(part) for part in parts if part is not None):
                layer = {"hidden": number - 1, "final": len(tape.read("hidden", side)) - 2}.get(what, number)
                raise CoreError("not_finite", side=side, layer=max(0, layer))


def _finite(numbers: Tensor) -> bool:
    """Say whether all numbers are finite; a finite sum says so in one pass, any other may have overflowed itself."""
    return bool(numbers.sum().isfinite()) or bool(numbers.isfinite().all())


__all__ = ["BatchTrace", "trace"]
