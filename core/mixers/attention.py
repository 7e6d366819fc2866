"""Multi-head attention: learned projections around the softmax (Vaswani et al. 2017, section 3.2.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.masks import Padding, Rule
from core.mixers.mixer import Influence, Mixer
from core.mixers.softmax import Attention, fused, pattern, plain
from core.positions import AtHeads, AtScores
from core.products import Linear, all_of
from core.shapes import Hidden, Keys, Queries, Values
from core.tape import Place
from core.walk import Walk

ALL = frozenset({"queries", "keys", "values", "output"})
NONE: frozenset[str] = frozenset()


def by_head(
    projected: Float[Tensor, "batch position all_heads"], head_width: int
) -> Float[Tensor, "batch head position head_width"]:
    """Return a projection cut into heads: numbers of a head stay beside each other."""
    batch, positions, _ = projected.shape
    if positions == 1:
        return projected.view(batch, -1, 1, head_width)
    return projected.view(batch, positions, -1, head_width).transpose(1, 2)


def later(padding: Rule, first: int) -> Rule:
    """Return the rule that hides padding, for the keys from place `first` on: those before it were let go."""
    return replace(padding, keep=padding.keep[:, first:]) if first and isinstance(padding, Padding) else padding


def in_type(angles: tuple[Tensor, ...], dtype: torch.dtype) -> tuple[Tensor, ...]:
    """Return what a scheme turns by in the type of what is turned: once for all layers."""
    return tuple(part.to(dtype) for part in angles)


@dataclass(frozen=True, kw_only=True)
class Heads:
    """How the width is divided: query heads, key/value heads (groups; Ainslie et al. 2023), numbers per head, scale.

    `cap` bounds the scores softly, cap * tanh(scores / cap) (Gemma 2, section 2); `biases` names the projections with
    a bias. `value_width` is what a head reads of each position, where that is not `head_width` (Vaswani et al. 2017,
    table 3, row B).
    """

    count: int
    groups: int
    head_width: int
    scale: float
    cap: float | None = None
    biases: frozenset[str] = NONE
    value_width: int = 0

    @property
    def read_width(self) -> int:
        """Numbers per head of the values."""
        return self.value_width or self.head_width


NO_HEADS = Heads(count=0, groups=0, head_width=0, scale=1.0)


class HeadNorms(nn.Module):
    """Norms on queries and keys before they are turned: on each head, or on the whole projection before it is split."""

    def __init__(self, make: Callable[[], nn.Module], *, whole: bool = False) -> None:
        super().__init__()
        self.queries, self.keys, self.whole = make(), make(), whole

    def split(self, norm: nn.Module, projected: Hidden, head_width: int) -> Tensor:
        """Normalise and split into heads, in the order that the family wants."""
        if self.whole:
            return by_head(norm(projected), head_width)
        normed: Tensor = norm(by_head(projected, head_width))
        return normed


class SelfAttention(Mixer):
    """Queries, keys and values are projections of the same sequence; the mixed heads are projected back.

    `positions` turns queries and keys, `relative` makes a bias on the scores, `norms` steadies queries and keys.
    """

    together: ClassVar[tuple[str, ...]] = ("queries", "keys", "values")

    def __init__(
        self,
        width: int,
        heads: Heads,
        *,
        rule: Rule,
        positions: AtHeads | None = None,
        relative: AtScores | None = None,
        norms: HeadNorms | None = None,
    ) -> None:
        super().__init__()
        self.heads, self.rule, self.positions, self.relative, self.norms = heads, rule, positions, relative, norms
        self.width, self.causal = width, rule.reach(0, 2) == 1
        self.queries = Linear(width, heads.count * heads.head_width, bias="queries" in heads.biases)
        self.keys = Linear(width, heads.groups * heads.head_width, bias="keys" in heads.biases)
        self.values = Linear(width, heads.groups * heads.read_width, bias="values" in heads.biases)
        self.output = Linear(heads.count * heads.read_width, width, bias="output" in heads.biases)

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix the positions; the tape is offered what the softmax was given."""
        attention = self.attention(hidden, walk, place)
        for change in attention.changes:
            attention = change.on_attention(attention)
        walk.tape.note("attention", place, attention)
        return self.joined(self.mixed(attention))

    def mixed(self, attention: Attention) -> Float[Tensor, "batch head query head_width"]:
        """Weigh the values, the fast way."""
        return fused(attention)

    def joined(self, mixed: Float[Tensor, "batch head query head_width"]) -> Hidden:
        """Return the heads side by side, projected back."""
        found: Hidden = self.output(mixed.transpose(1, 2).flatten(2))
        return found

    def plain(self, hidden: Hidden) -> Hidden:
        """Write the pattern down and multiply the values by it."""
        return self.joined(plain(self._alone(hidden)))

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return the pattern: the shares by which values are added up."""
        return Influence(cells=pattern(self._alone(hidden))[0], how="pattern")

    def _alone(self, hidden: Hidden) -> Attention:
        positions = torch.arange(hidden.shape[1], device=hidden.device).expand(len(hidden), -1)
        return self.attention(hidden, Walk(positions=positions), Place("decoder", 0))

    def attention(self, hidden: Hidden, walk: Walk, place: Place) -> Attention:
        """Project, turn by position, and join with what is cached."""
        *looking, values = all_of(hidden, self.queries, self.keys, self.values)
        queries, keys = self._turned(*self._parted(*looking), walk)
        values = by_head(values, self.heads.read_width)
        if walk.cache is not None:
            keys, values = walk.cache.extend(place, keys, values)
        start = keys.shape[2] - hidden.shape[1]
        relative = None if walk.orderless else self.relative
        bias = None if relative is None else relative(queries, keys, walk.positions)
        return Attention(
            queries=queries,
            keys=keys,
            values=values,
            scale=self.heads.scale,
            rule=self.rule & later(walk.padding, walk.start - start),
            bias=bias,
            cap=self.heads.cap,
            start=start,
            changes=walk.changes_at(place),
        )

    def split(self, hidden: Hidden) -> tuple[Queries, Keys]:
        """Return queries and keys by head, normed where the model does so, before positions."""
        return self._parted(self.queries(hidden), self.keys(hidden))

    def _parted(self, queries: Hidden, keys: Float[Tensor, "batch position narrower"]) -> tuple[Queries, Keys]:
        width, norms = self.heads.head_width, self.norms
        if norms is None:
            return by_head(queries, width), by_head(keys, width)
        return norms.split(norms.queries, queries, width), norms.split(norms.keys, keys, width)

    def _turned(self, queries: Queries, keys: Keys, walk: Walk) -> tuple[Queries, Keys]:
        """Turn both by their positions; together where they are one row, since what that costs is the asking."""
        scheme = self.positions
        if scheme is None or walk.orderless:
            return queries, keys
        kind = queries.dtype
        angles = walk.once((scheme, kind), lambda: in_type(scheme.angles(walk.positions), kind))
        if queries.shape[2] > 1:
            return scheme.turn(queries, angles), scheme.turn(keys, angles)
        both = scheme.turn(torch.cat((queries, keys), dim=1), angles)
        return both[:, : queries.shape[1]], both[:, queries.shape[1] :]


class CrossAttention(SelfAttention):
    """Queries come from the decoder, keys and values from the encoder's final state (Vaswani et al. 2017, section
    3.2.3)."""

    together = ()

    def attention(self, hidden: Hidden, walk: Walk, place: Place) -> Attention:
        """Project; what the encoder gave is projected once per text, also while writing."""
        queries = by_head(self.queries(hidden), self.heads.head_width)
        keys, values = self._source(walk, place)
        return Attention(
            queries=queries,
            keys=keys,
            values=values,
            scale=self.heads.scale,
            rule=self.rule & walk.source_padding,
            start=walk.start,
            changes=walk.changes_at(place),
        )

    def _source(self, walk: Walk, place: Place) -> tuple[Keys, Values]:
        if walk.cache is not None and place in walk.cache.source:
            return walk.cache.source[place]
        keys = by_head(self.keys(walk.source), self.heads.head_width)
        values = by_head(self.values(walk.source), self.heads.read_width)
        if walk.cache is not None:
            walk.cache.source[place] = keys, values
        return keys, values
