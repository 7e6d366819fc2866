"""Decoding: a decoder writes one piece after another, each step reusing the keys and values of the steps before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.cache import Cache
from core.changes import Change
from core.errors import CoreError
from core.inputs import Sample
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
    """Write up to `limit` pieces, always the likeliest (greedy): after the sample, or as an answer to it.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder, `classes_only` for one whose output is classes;
            `too_long` when the positions run out.
    """
    if "decoder" not in model.sides:
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    if model.classifies:
        raise CoreError("classes_only", name=model.name)
    begun = np.asarray(model.spec.start) if "encoder" in model.sides else sample.ids
    if model.spec.positions and len(begun) + limit > model.spec.positions:
        raise CoreError("too_long", came=len(begun) + limit, allowed=model.spec.positions)
    source = encoded(model, sample, changes) if "encoder" in model.sides else None
    walk = Walk(positions=torch.empty(1, 0, dtype=torch.long), changes=tuple(changes), source=source)
    return _steps(model, begun, walk, limit)


@torch.no_grad()
def encoded(model: Model, sample: Sample, changes: tuple[Change, ...] = ()) -> Hidden:
    """Return the encoder's final state for one sample [1, position, width]."""
    ids = torch.from_numpy(sample.ids)[None].to(model.device)
    walk = walk_over(torch.ones_like(ids, dtype=torch.bool), ids=ids, changes=tuple(changes))
    found: Hidden = model.side("encoder")(walk)
    return found


def _steps(model: Model, begun: NDArray[np.int64], walk: Walk, limit: int) -> Iterator[Step]:
    ids, cache, settled = torch.from_numpy(begun)[None].to(model.device), Cache(), model.settled
    for _ in range(limit):
        logits = _forward(model, ids, walk, cache)
        best = int(logits.argmax())
        yield Step(ident=best, position=cache.length, logits=logits.float().cpu().numpy())
        new = torch.tensor([[best]], device=ids.device)
        ids, cache = (new, cache) if settled else (torch.cat((ids, new), dim=1), Cache())


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
