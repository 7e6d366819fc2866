"""Multi-head self-attention: learned projections around the softmax (Vaswani et al. 2017, section 3.2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from einops import rearrange
from torch import nn

from core.masks import Rule
from core.mixers.softmax import Attention, fused
from core.positions import Rotary
from core.shapes import Hidden, Keys, Queries
from core.tape import Place
from core.walk import Walk


@dataclass(frozen=True, kw_only=True)
class Heads:
    """How the width is divided: query heads, key/value heads (groups; Ainslie et al. 2023), numbers per head, scale."""

    count: int
    groups: int
    head_width: int
    scale: float


class SelfAttention(nn.Module):
    """Queries, keys and values are projections of the same sequence; the mixed heads are projected back."""

    def __init__(self, width: int, heads: Heads, *, rule: Rule, positions: Rotary | None = None, bias: bool = False) -> None:
        super().__init__()
        self.heads, self.rule, self.positions = heads, rule, positions
        self.queries = nn.Linear(width, heads.count * heads.head_width, bias=bias)
        self.keys = nn.Linear(width, heads.groups * heads.head_width, bias=bias)
        self.values = nn.Linear(width, heads.groups * heads.head_width, bias=bias)
        self.output = nn.Linear(heads.count * heads.head_width, width, bias=bias)

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix the positions; the tape is offered what the softmax was given."""
        attention = self.attention(hidden, walk, place)
        walk.tape.note("attention", place, attention)
        return self.output(rearrange(fused(attention), "b head query w -> b query (head w)"))

    def attention(self, hidden: Hidden, walk: Walk, place: Place) -> Attention:
        """Project, turn by position, join with what is cached, and apply the changes."""
        queries, keys = self.turned(hidden, walk)
        values = rearrange(self.values(hidden), "b position (group w) -> b group position w", w=self.heads.head_width)
        if walk.cache is not None:
            keys, values = walk.cache.extend(place, keys, values)
        changes = walk.changes_at(place)
        found = Attention(
            queries=queries,
            keys=keys,
            values=values,
            scale=self.heads.scale,
            rule=self.rule & walk.padding,
            start=walk.start,
            changes=changes,
        )
        for change in changes:
            found = change.on_attention(found)
        return found

    def turned(self, hidden: Hidden, walk: Walk) -> tuple[Queries, Keys]:
        """Return queries and keys by head, rotated where the model does so."""
        split = "b position (head w) -> b head position w"
        queries = rearrange(self.queries(hidden), split, w=self.heads.head_width)
        keys = rearrange(self.keys(hidden), split, w=self.heads.head_width)
        if self.positions is None:
            return queries, keys
        scheme = self.positions
        angles = walk.once(scheme, lambda: scheme.angles(walk.positions))
        return scheme.turn(queries, angles), scheme.turn(keys, angles)
