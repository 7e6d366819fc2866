"""Queries, keys and values of one head: learned projections of what enters the layer, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.recomputing import exact, stack_of, walk_again
from core.errors import CoreError
from core.mixers.softmax import Attention
from core.tape import Place
from core.tracing import Trace

KINDS = ("queries", "keys", "values")
STAGES = ("multiplied", "projected", "normed", "turned")


@dataclass(frozen=True, kw_only=True, eq=False)
class Projected:
    """One of queries, keys and values, for every position it is made for: X times W.

    `weight` [width, head_width] is the head's slice of W, the columns from `first` on; `weights` is all of W, as large
    as a picture needs: each cell the largest, by size, of `block` (rows, columns) numbers. `whole` [position, all
    heads' width] is what W gives to all heads together. Then the head's stages [position, head_width], None where the
    family has none: `multiplied` is W's product before a bias is added, `projected` with it, `normed` after the norm of
    heads, `turned` after positions.
    """

    kind: str
    group: int
    first: int
    weight: Numbers
    weights: Numbers
    block: tuple[int, int]
    whole: Numbers
    multiplied: Numbers | None
    projected: Numbers
    normed: Numbers | None
    turned: Numbers | None

    @property
    def used(self) -> Numbers:
        """What the softmax is given."""
        return next(stage for stage in (self.turned, self.normed, self.projected) if stage is not None)

    @property
    def stages(self) -> dict[str, Numbers]:
        """The stages that the family has, in their order."""
        found = {name: getattr(self, name) for name in STAGES}
        return {name: cells for name, cells in found.items() if cells is not None}


@dataclass(frozen=True, kw_only=True, eq=False)
class Projections:
    """What enters a layer [position, width], what its projections read, and the three of one head.

    `read` is what W_Q multiplies: what enters, or its norm where the family norms first. `source` is what W_K and W_V
    multiply: the same, or in cross-attention the encoder's final state.
    """

    entering: Numbers
    read: Numbers
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
    stack = stack_of(side)
    part: Any = exact(trace.model.side(stack).layers[layer])
    heard, read = _listened(part.cross if side == "cross" else part.mixer)
    walk = walk_again(trace, stack, seen.changes, torch.float64)
    part(trace.hiddens[stack][layer].detach().to("cpu", torch.float64), walk, Place(stack, layer))
    again: Attention = walk.tape.read("attention", side)[0]
    mixer = part.cross if side == "cross" else part.mixer
    told = {kind: _projected(kind, getattr(mixer, kind), heard, again, head) for kind in KINDS}
    entering = _float(trace.hiddens[stack][layer][0])
    return Projections(entering=entering, read=_float(read["queries"][0]), source=_float(read["keys"][0]), **told)


def _listened(mixer: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Hear, in a private mixer, what every part gives and what it was given, the first time that it is asked."""
    heard: dict[str, Tensor] = {}
    read: dict[str, Tensor] = {}

    def listen(name: str) -> Any:
        def told(module: Any, given: Any, output: Any) -> None:  # noqa: ARG001
            heard.setdefault(name, output)
            read.setdefault(name, given[0])

        return told

    for name, module in mixer.named_modules():
        if name:
            module.register_forward_hook(listen(name))
    return heard, read


def _projected(kind: str, linear: Any, heard: dict[str, Tensor], again: Attention, head: int) -> Projected:
    group, used = (head if kind == "queries" else head // again.sharing), getattr(again, kind)
    width = used.shape[-1]
    first, whole, matrix = group * width, _float(heard[kind][0]), _float(linear.weight.T)
    mine = slice(first, first + width)
    normed = _normed(heard.get(f"norms.{kind}"), group, mine)
    weights, block = overview(matrix)
    final = _float(used[0, group])
    return Projected(
        kind=kind,
        group=group,
        first=first,
        weight=matrix[:, mine],
        weights=weights,
        block=block,
        whole=whole,
        multiplied=None if linear.bias is None else whole[:, mine] - _float(linear.bias)[mine],
        projected=whole[:, mine],
        normed=normed,
        turned=None if np.array_equal(final, whole[:, mine] if normed is None else normed) else final,
    )


def overview(matrix: Numbers, most: int = 128) -> tuple[Numbers, tuple[int, int]]:
    """Return a matrix as at most `most` x `most` cells, each the largest number by size of its block, and how many rows
    and columns a block has."""
    blocks = -(-matrix.shape[0] // most), -(-matrix.shape[1] // most)
    missing = [(0, -size % block) for size, block in zip(matrix.shape, blocks, strict=True)]
    padded = np.pad(matrix, missing)
    split = padded.reshape(padded.shape[0] // blocks[0], blocks[0], -1, blocks[1]).swapaxes(1, 2)
    tiles = split.reshape(*split.shape[:2], -1)
    largest = np.abs(tiles).argmax(-1)[..., None]
    cells: Numbers = np.take_along_axis(tiles, largest, -1)[..., 0]
    return cells, blocks


def _normed(output: Tensor | None, group: int, mine: slice) -> Numbers | None:
    """Return a head's part of what its norm gave: [batch, head, position, width], or of the whole projection."""
    if output is None:
        return None
    return _float(output[0, group] if output.ndim == 4 else output[0, :, mine])


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
