"""Relative buckets: one learned number per head for each range of distances, added to the scores (Raffel et al. 2020,
section 2.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.shapes import Ids, Indices


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """How distances fall into `count` buckets: near ones have a bucket each, farther ones share buckets that grow as
    the logarithm of the distance, and from `farthest` on there is one.

    With `both`, keys behind and ahead of the query have half of the buckets each; without, those ahead are at distance
    0.
    """

    count: int = 32
    farthest: int = 128
    both: bool = True

    def of(self, distance: Int[Tensor, "query key"]) -> Int[Tensor, "query key"]:
        """Return the bucket of key - query."""
        half = self.count // 2 if self.both else self.count
        ahead = (distance > 0).long() * half if self.both else torch.zeros_like(distance)
        away = distance.abs() if self.both else (-distance).clamp(min=0)
        exact = half // 2
        growth = torch.log(away.clamp(min=1).float() / exact) / math.log(self.farthest / exact)
        shared = (exact + (growth * (half - exact)).long()).clamp(max=half - 1)
        return ahead + torch.where(away < exact, away, shared)


@dataclass(frozen=True, kw_only=True, eq=False)
class BucketBias:
    """The rows of a table [bucket, head] that belong to the distances between any queries and any keys."""

    table: Float[Tensor, "bucket head"]
    ranges: Ranges

    def at(self, rows: Indices, columns: Indices) -> Float[Tensor, "1 head query key"]:
        """Return the bias of queries (rows) on keys (columns)."""
        distance = columns[None, :] - rows[:, None]
        return self.table[self.ranges.of(distance)].permute(2, 0, 1)[None]

    def of(self, sentence: int, keep: Tensor) -> BucketBias:
        """Distances between the places of one sentence stay what they are."""
        return self


class Buckets(nn.Module):
    """The learned table, usually one for all layers of a side; enters at the scores."""

    def __init__(self, heads: int, *, rows: int = 32, ranges: Ranges | None = None) -> None:
        super().__init__()
        self.ranges = ranges or Ranges(count=rows)
        self.table = nn.Embedding(rows, heads)

    def forward(self, queries: Tensor, keys: Tensor, positions: Ids) -> BucketBias:
        """Return the bias of one layer; it looks at neither queries nor keys."""
        return BucketBias(table=self.table.weight, ranges=self.ranges)
