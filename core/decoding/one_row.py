"""A step of writing on one page: what a layer of Llama's wiring does to a single position.

The layers of `core.blocks` take whole batches, let a tape listen, and can be changed on the way. To ask for all that in
every part of every layer takes a quarter as long as to read the parameters. So a layer that is made of the plain parts
is taken apart here, and a single row goes through the same sums in the same order: what comes out is equal to the last
bit (tested), in two thirds of the operations.

    x <- x + output(attention(turned(queries(norm(x)))), turned(keys(norm(x))), values(norm(x)))
    x <- x + down(act(gate(norm(x))) * up(norm(x)))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from core import products
from core.blocks import GatedFeedForward, PreNorm, RMSNorm
from core.blocks.feed_forward import Activation
from core.blocks.norms import one_row as normed
from core.cache import Cache
from core.masks import Causal, Rule
from core.mixers import SelfAttention, softmax
from core.mixers.attention import Heads, in_type
from core.mixers.softmax import Attention, near_only
from core.models.plan import Side
from core.positions import Rotary
from core.tape import Place
from core.walk import Walk

Row = Float[Tensor, "1 width"]


class Norm(NamedTuple):
    """An RMSNorm: its gain [width] and what keeps it from dividing by zero."""

    gain: Tensor
    epsilon: float


class Matrix(NamedTuple):
    """What multiplies a row: a matrix [outputs, inputs], its bias, and the matrix in the order of the processor's own
    kernel where it is held in that as well."""

    weight: Tensor
    bias: Tensor | None
    twin: Tensor | None


@dataclass(frozen=True, kw_only=True, eq=False)
class RowLayer:
    """A layer, taken apart. `looking` are the matrices of queries, keys and values as the one that they are in memory,
    `widening` those of gate and up; a row looks `near` positions back, itself included (0: at everything)."""

    place: Place
    heads: Heads
    rule: Rule
    near: int
    positions: Rotary
    act: Activation
    norms: tuple[Norm, Norm]
    looking: Matrix
    output: Matrix
    widening: Matrix
    narrowing: Matrix

    def __call__(self, row: Row, walk: Walk, cache: Cache) -> Row:
        """Look around, then think."""
        row = products.times(self._mixed(normed(row, *self.norms[0]), walk, cache), *self.output).add_(row)
        wide = products.times(normed(row, *self.norms[1]), *self.widening)
        gate, up = wide.chunk(2, dim=-1)
        return products.times(self.act(gate).mul_(up), *self.narrowing).add_(row)

    def _mixed(self, row: Row, walk: Walk, cache: Cache) -> Float[Tensor, "1 all_heads"]:
        """Project, turn, keep, and weigh what is kept."""
        count, groups, width = self.heads.count, self.heads.groups, self.heads.head_width
        projected = products.times(row, *self.looking).view(1, count + 2 * groups, 1, width)
        looking, values = projected.split_with_sizes((count + groups, groups), dim=1)
        queries, keys = self._turned(looking, walk).split_with_sizes((count, groups), dim=1)
        keys, values = cache.extend(self.place, keys, values)
        if walk.tape.wanted:
            self._told(walk, queries, keys, values)
        if self.near:
            keys, values = keys[:, :, -self.near :], values[:, :, -self.near :]
        return softmax.one_row(queries, keys, values, self.heads.scale).view(1, count * width)

    def _turned(self, heads: Tensor, walk: Walk) -> Tensor:
        """Turn by the position: the angles are those of all layers."""
        scheme = self.positions
        angles = walk.once(id(scheme), lambda: in_type(scheme.whole_angles(walk.positions), heads.dtype))
        return scheme.turn_whole(heads, angles)

    def _told(self, walk: Walk, queries: Tensor, keys: Tensor, values: Tensor) -> None:
        scale, start = self.heads.scale, keys.shape[2] - 1
        told = Attention(queries=queries, keys=keys, values=values, scale=scale, rule=self.rule, start=start)
        walk.tape.note("attention", self.place, told)


def row_layers(side: Side) -> tuple[RowLayer, ...]:
    """Return the layers of a side taken apart; none unless every one of them is on the processor, is made of the plain
    parts, and nobody listens to a part of it."""
    if any(part._forward_hooks or part._forward_pre_hooks for part in side.layers.modules()):
        return ()
    found = [_apart(layer, Place(side.name, number)) for number, layer in enumerate(side.layers)]
    whole = tuple(layer for layer in found if layer is not None)
    return whole if len(whole) == len(found) else ()


def _apart(layer: Any, place: Place) -> RowLayer | None:
    if not _is_plain(layer):
        return None
    mixer, thinking = layer.mixer, layer.feed_forward
    looking, widening = _as_one(mixer), _as_one(thinking)
    if looking is None or widening is None:
        return None
    return RowLayer(
        place=place,
        heads=mixer.heads,
        rule=mixer.rule,
        near=near_only(mixer.rule),
        positions=mixer.positions,
        act=thinking.act,
        norms=(_norm(layer.mixer_norm), _norm(layer.feed_norm)),
        looking=looking,
        output=_matrix(mixer.output),
        widening=widening,
        narrowing=_matrix(thinking.down),
    )


def _is_plain(layer: Any) -> bool:
    """Whether a layer is made of nothing but the parts that are spelled out here."""
    parts = type(layer), type(layer.mixer), type(layer.feed_forward), type(layer.mixer_norm), type(layer.feed_norm)
    if parts != (PreNorm, SelfAttention, GatedFeedForward, RMSNorm, RMSNorm) or layer.cross is not None:
        return False
    mixer, heads = layer.mixer, layer.mixer.heads
    return (
        type(mixer.positions) is Rotary
        and mixer.positions.head_width == heads.head_width == heads.read_width
        and (isinstance(mixer.rule, Causal) or near_only(mixer.rule) > 0)
        and (mixer.norms, mixer.relative, heads.cap) == (None, None, None)
        and not (layer.mixer_norm.offset or layer.feed_norm.offset)
        and mixer.output.weight.device.type == "cpu"
    )


def _norm(norm: RMSNorm) -> Norm:
    return Norm(norm.weight, norm.epsilon)


def _matrix(part: nn.Linear) -> Matrix:
    return Matrix(part.weight, part.bias, getattr(part.weight, products.TWIN, None))


def _as_one(part: Any) -> Matrix | None:
    """Return the matrices that a part multiplies the same row by as one, None where they do not lie side by side."""
    group = [getattr(part, name) for name in part.together]
    joined = products.one_matrix(group)
    return None if joined is None else Matrix(joined, None, getattr(group[0].weight, products.JOINT, None))
