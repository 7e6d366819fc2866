"""A model as a server sees it: what its layers keep, and one step with whatever cache it is handed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from core import cost
from core.cache import Cache
from core.errors import CoreError
from core.mixers import SelfAttention
from core.mixers.attention import CrossAttention
from core.mixers.softmax import near_only
from core.mixers.statespace import StateSpace
from core.models import Model
from core.shapes import Source
from core.walk import Walk

STATE_SIZE = 4


def layers(model: Model, places: int = 0) -> tuple[cost.Layer, ...]:
    """Return what each mixer of a decoder keeps of a text; `places` is how long the sequence is that it reads.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder.
    """
    if "decoder" not in model.sides:
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    parts = model.side("decoder").modules()
    found = (_layer(part, places) for part in parts if isinstance(part, SelfAttention | StateSpace))
    return tuple(found)


def only_keys(model: Model) -> bool:
    """Tell whether a text leaves nothing behind but keys and values, so that a beginning of it can be shared."""
    return all(isinstance(layer, cost.Keys) for layer in layers(model))


def servable(model: Model) -> None:
    """Make sure that a server can write with a model.

    Raises:
        CoreError: `not_a_writer` or `classes_only`; `not_paged` where no layer keeps keys for what it reads alone, or
            what was kept turns wrong when the text grows.
    """
    kinds = {type(layer) for layer in layers(model)}
    if model.classifies:
        raise CoreError("classes_only", name=model.name)
    if cost.Keys not in kinds or cost.Source in kinds or not model.settled or model.network.output is None:
        raise CoreError("not_paged", name=model.name, came=model.spec.family)


@torch.inference_mode()
def step(model: Model, ids: Sequence[int], cache: Cache, source: Source | None = None) -> NDArray[np.float32]:
    """Return the logits [piece] after the last of some new ids, and leave their keys and values in the cache."""
    new = torch.tensor([list(ids)], device=model.device)
    positions = torch.arange(cache.length, cache.length + len(ids), device=model.device)[None]
    final = model.side("decoder")(Walk(positions=positions, ids=new, cache=cache, source=source))
    cache.length += len(ids)
    logits = model.logits(final[:, -1:])
    if logits is None:
        raise CoreError("no_output", name=model.name)
    found: NDArray[np.float32] = logits[0, 0].float().cpu().numpy()
    return found


def likeliest(model: Model, logits: NDArray[np.float32], *, first: bool) -> int:
    """Return the likeliest piece that may be written."""
    banned = model.spec.never | (model.spec.never_first if first else frozenset())
    allowed = logits.copy()
    allowed[sorted(banned)] = -np.inf
    return int(allowed.argmax())


def _layer(part: SelfAttention | StateSpace, places: int) -> cost.Layer:
    if isinstance(part, StateSpace):
        return _state(part)
    heads, cross = part.heads, isinstance(part, CrossAttention)
    keys = cost.Keys(
        heads=heads.count,
        groups=heads.groups,
        key_width=heads.head_width,
        value_width=heads.read_width,
        size=part.keys.weight.element_size(),
        window=0 if cross else near_only(part.rule),
    )
    return cost.Source(keys=keys, places=places) if cross else keys


def _state(part: StateSpace) -> cost.State:
    """Return what a state takes: it is kept in float32 or wider, and the values of the convolution as they come."""
    space, near = part.space, part.near
    numbers, size = space.inner * space.state, part.input.weight.element_size()
    earlier = (space.kernel - 1) * near.in_channels * size
    return cost.State(numbers=numbers, held=numbers * max(size, STATE_SIZE) + earlier)
