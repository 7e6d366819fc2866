"""What must hold for any model on any text, measured: the differences should be of the size of rounding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from core.changes import Plain
from core.decoding import begins, generate
from core.inputs import Sample
from core.mixers.softmax import allowed, blocks, pattern
from core.models import Model
from core.tracing import Trace, trace

WRITTEN = 4


@dataclass(frozen=True, kw_only=True)
class Law:
    """One law: its message key, the worst difference that was seen, and how much rounding may make of it."""

    key: str
    worst: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether the difference is rounding."""
        return self.worst <= self.tolerance


@torch.no_grad()
def check(model: Model, sample: Sample) -> tuple[Law, ...]:
    """Trace a sample and measure every law that applies to the model; where nobody looks, none speaks of patterns."""
    found = trace(model, sample)
    laws = []
    if found.sides:
        laws = [
            Law(key="rows", worst=rows_sum_to_one(found), tolerance=1e-5),
            Law(key="masked", worst=masked_share(found), tolerance=0.0),
            Law(key="fused", worst=fused_against_plain(found), tolerance=1e-5),
        ]
    if "decoder" in model.sides and model.network.output is not None and not model.classifies:
        laws.append(Law(key="cached", worst=cached_against_whole(found), tolerance=1e-4))
    return tuple(laws)


def rows_sum_to_one(found: Trace) -> float:
    """Return the largest difference of any row's sum from one, over all sides, layers and heads."""
    rows = ((layer, rows) for side in found.sides for layer in found.looking(side).values() for rows in blocks(layer))
    return max(float((pattern(*some).sum(-1) - 1).abs().max()) for some in rows)


def masked_share(found: Trace) -> float:
    """Return the largest share that a key got which the rule forbids."""
    rows = ((layer, rows) for side in found.sides for layer in found.looking(side).values() for rows in blocks(layer))
    return max(float(pattern(*some).masked_fill(allowed(*some), 0).max()) for some in rows)


def fused_against_plain(found: Trace) -> float:
    """Return the largest difference in the final state between the fused and the plain path, relative to its largest
    value.
    """
    plain = trace(found.model, found.sample, (Plain(),))
    return float(np.abs(plain.final - found.final).max() / np.abs(found.final).max())


def cached_against_whole(found: Trace) -> float:
    """Return the largest difference of logits, relative to the largest, between writing with the cache and whole
    passes over what was written so far."""
    begun = replace(found.sample, target=None)
    steps = list(generate(found.model, begun, limit=WRITTEN))
    start = begins(found.model, begun)
    ids = np.concatenate([start, [step.ident for step in steps[:-1]]])
    ends = range(len(start), len(ids) + 1)
    whole = np.stack([trace(found.model, _upto(found.model, begun, ids[:end])).logits([end - 1])[0] for end in ends])
    written = np.stack([step.logits for step in steps])
    return float(np.abs(whole - written).max() / np.abs(whole).max())


def _upto(model: Model, begun: Sample, ids: NDArray[np.int64]) -> Sample:
    """Return a text, or a source with its answer, as far as it was written."""
    written = Sample.from_ids(ids)
    return replace(begun, target=written) if "encoder" in model.sides else written
