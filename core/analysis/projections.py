"""Queries, keys and values of one head: learned projections of what enters the layer, stage by stage."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.recomputing import walk_again
from core.errors import CoreError
from core.mixers.softmax import Attention
from core.tape import Place
from core.tracing import Trace

KINDS = ("queries", "keys", "values")


@dataclass(frozen=True, kw_only=True, eq=False)
class Projected:
    """One of queries, keys and values, for every position it is made for.

    `whole` [position, all heads' width] is what the projection gives to all heads together;
    `projected` [position, head_width] is the head's slice (numbers `first` .. of the whole projection) of W x (+
    bias, where `biased`); `normed` the same after the family's norm of heads, `turned` after its positions: None
    where the family has no such stage.
    """

    kind: str
    group: int
    first: int
    biased: bool
    whole: Numbers
    projected: Numbers
    normed: Numbers | None
    turned: Numbers | None

    @property
    def used(self) -> Numbers:
        """What the softmax is given."""
        return next(stage for stage in (self.turned, self.normed, self.projected) if stage is not None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Projections:
    """What enters a layer [position, width], what enters its projections, and the three of one head.

    In cross-attention keys and values are made of the encoder's final state, `source`.
    """

    entering: Numbers
    source: Numbers
    queries: Projected
    keys: Projected
    values: Projected


@torch.no_grad()
def projections(trace: Trace, layer: int, head: int, side: str | None = None) -> Projections:
    """Return how one head's queries, keys and values come about, computed in float64.

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    seen = trace.layer(layer, side)
    if not 0 <= head < seen.shape[0]:
        raise CoreError("out_of_range", what="head", came=head, allowed=seen.shape[0] - 1)
    side = side or trace.sides[0]
    stack = "decoder" if side == "cross" else side
    part = copy.deepcopy(trace.model.side(stack).layers[layer]).to("cpu", torch.float64)
    mixer: Any = part.cross if side == "cross" else part.mixer
    heard: dict[str, Tensor] = {}
    for name, module in mixer.named_modules():
        module.register_forward_hook(lambda _, __, output, name=name: heard.setdefault(name, output))
    walk = walk_again(trace, stack, seen)
    part(trace.hiddens[stack][layer].detach().to("cpu", torch.float64), walk, Place(stack, layer))
    again: Attention = walk.tape.read("attention", side)[0]
    told = {kind: _projected(kind, mixer, heard, again, head) for kind in KINDS}
    return Projections(entering=_float(trace.hiddens[stack][layer][0]), source=_source(trace, side, layer), **told)


def _projected(kind: str, mixer: Any, heard: dict[str, Tensor], again: Attention, head: int) -> Projected:
    group = head if kind == "queries" else head // again.sharing
    width = again.queries.shape[-1]
    first, linear = group * width, getattr(mixer, kind)
    whole = _float(heard[kind][0])
    made = whole[:, first : first + width]
    normed = _normed(heard.get(f"norms.{kind}"), group, first, width)
    used = _float(getattr(again, kind)[0, group])
    before = made if normed is None else normed
    return Projected(
        kind=kind,
        group=group,
        first=first,
        biased=linear.bias is not None,
        whole=whole,
        projected=made,
        normed=normed,
        turned=None if np.array_equal(used, before) else used,
    )


def _normed(output: Tensor | None, group: int, first: int, width: int) -> Numbers | None:
    """Return a head's part of what its norm gave: [batch, head, position, width], or of the whole projection."""
    if output is None:
        return None
    return _float(output[0, group] if output.ndim == 4 else output[0, :, first : first + width])


def _source(trace: Trace, side: str, layer: int) -> Numbers:
    state = trace.finals["encoder"] if side == "cross" else trace.hiddens[side][layer]
    return _float(state[0])


def _float(tensor: Tensor) -> Numbers:
    found: Numbers = tensor.detach().cpu().numpy().astype(np.float32)
    return found


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Two positions whose vectors point the same way, and the cosine of the angle between them."""

    one: int
    other: int
    cosine: float


def alike(vectors: Numbers, best: int = 5) -> tuple[Alike, ...]:
    """Return the pairs of different positions with the most similar vectors [position, head_width], best first."""
    length = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-30)
    cosines = np.triu((vectors / length) @ (vectors / length).T, 1) + np.tril(np.full((len(vectors),) * 2, -2.0))
    order = np.argsort(-cosines, axis=None, kind="stable")[:best]
    pairs = [np.unravel_index(place, cosines.shape) for place in order]
    return tuple(
        Alike(one=int(one), other=int(other), cosine=float(cosines[one, other])) for one, other in pairs if one < other
    )
