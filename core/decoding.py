"""Decoding: a decoder writes one piece after another, each step reusing the keys and values of the steps before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.cache import Cache
from core.changes import Change
from core.errors import CoreError
from core.inputs import Sample
from core.models import Model
from core.walk import Walk


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One written piece: its id, its position, and the logits over the whole vocabulary that it was chosen from."""

    ident: int
    position: int
    logits: NDArray[np.float32]


def generate(model: Model, sample: Sample, changes: tuple[Change, ...] = (), *, limit: int = 20) -> Iterator[Step]:
    """Write up to `limit` pieces after the sample, always the likeliest (greedy).

    Raises:
        CoreError: `not_a_writer` for a model that is no decoder; `too_long` when the positions run out.
    """
    if model.spec.kind != "decoder":
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    if len(sample) + limit > model.spec.positions:
        raise CoreError("too_long", came=len(sample) + limit, allowed=model.spec.positions)
    return _steps(model, torch.from_numpy(sample.ids)[None].to(model.device), tuple(changes), limit)


def _steps(model: Model, ids: torch.Tensor, changes: tuple[Change, ...], limit: int) -> Iterator[Step]:
    cache = Cache()
    for _ in range(limit):
        logits = _forward(model, ids, cache, changes)
        best = int(logits.argmax())
        yield Step(ident=best, position=cache.length, logits=logits.float().cpu().numpy())
        ids = torch.tensor([[best]], device=ids.device)


@torch.no_grad()
def _forward(model: Model, ids: torch.Tensor, cache: Cache, changes: tuple[Change, ...]) -> torch.Tensor:
    """Return the logits [piece] after the last of some new ids, and leave their keys and values in the cache."""
    positions = torch.arange(cache.length, cache.length + ids.shape[1], device=ids.device)[None]
    final = model.run(ids, Walk(positions=positions, cache=cache, changes=changes))
    cache.length += ids.shape[1]
    logits = model.logits(final[:, -1:])
    if logits is None:
        raise CoreError("no_output", name=model.name)
    return logits[0, 0]
