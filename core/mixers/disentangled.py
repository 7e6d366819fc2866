"""Disentangled attention (He et al. 2021, section 3.1): scores of contents, and of contents with distances."""

from __future__ import annotations

from dataclasses import replace

from einops import rearrange
from torch import Tensor, nn

from core.masks import Rule
from core.mixers.attention import Heads, SelfAttention
from core.mixers.softmax import Attention
from core.positions.disentangled import DisentangledBias, DistanceRows
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


class DisentangledAttention(SelfAttention):
    """Attention whose bias comes from queries, keys and the rows of a table of distances.

    `kinds` says which matches count: c2p (content to position), p2c (position to content). The rows are projected like
    queries and keys are, or, where `own` is true, by projections of their own.
    """

    def __init__(
        self, width: int, heads: Heads, *, rule: Rule, table: DistanceRows, kinds: frozenset[str], own: bool
    ) -> None:
        super().__init__(width, heads, rule=rule)
        self.table, self.kinds = table, kinds
        outer = heads.count * heads.head_width
        self.row_keys = nn.Linear(width, outer) if own and "c2p" in kinds else None
        self.row_queries = nn.Linear(width, outer) if own and "p2c" in kinds else None

    def attention(self, hidden: Hidden, walk: Walk, place: Place) -> Attention:
        """Project contents and distances."""
        found = super().attention(hidden, walk, place)
        length = hidden.shape[1]
        rows = walk.once(self.table, lambda: self.table(length))
        bias = DisentangledBias(
            queries=found.queries,
            keys=found.keys,
            scale=found.scale,
            distances=self.table.distances,
            first=self.table.distances.within(length)[0],
            to_position=self._rows("c2p", self.row_keys or self.keys, rows),
            to_content=self._rows("p2c", self.row_queries or self.queries, rows),
        )
        return replace(found, bias=bias)

    def _rows(self, kind: str, project: nn.Module, rows: Tensor) -> Tensor | None:
        if kind not in self.kinds:
            return None
        return rearrange(project(rows), "distance (head w) -> head distance w", w=self.heads.head_width)
