"""Disentangled positions: what a piece says is matched with how far away the other is (He et al. 2021, section 3.1).

score(i, j) gains q_i . K[d(i, j)] (content to position) and k_j . Q[d(i, j)] (position to content), where K and Q are
projections of one learned row per distance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.shapes import Indices, Keys, Queries

Rows = Float[Tensor, "distance width"]


@dataclass(frozen=True, kw_only=True)
class Distances:
    """Which of 2 x `span` rows stands for query - key (equation 3).

    With `farthest`, distances over span / 2 share rows that grow as the logarithm (He et al. 2023, appendix; as
    published with version 2).
    """

    span: int
    farthest: int = 0

    def of(self, distance: Int[Tensor, "query key"]) -> Int[Tensor, "query key"]:
        """Return the row of each distance."""
        near = self._shared(distance) if self.farthest else distance
        return (near + self.span).clamp(0, 2 * self.span - 1)

    def within(self, length: int) -> tuple[int, int]:
        """Return the first and the last row that a text of this length needs."""
        first, last = self.of(torch.tensor([[1 - length, length - 1]]))[0].tolist()
        return first, last

    def _shared(self, distance: Tensor) -> Tensor:
        middle = self.span // 2
        away = distance.abs().clamp(min=max(1, middle - 1))
        growth = torch.log(away / middle) / torch.log(torch.tensor((self.farthest - 1) / middle))
        far = (torch.ceil(growth * (middle - 1)) + middle).long() * distance.sign()
        return torch.where(away <= middle, distance, far)


@dataclass(frozen=True, kw_only=True, eq=False)
class DisentangledBias:
    """Queries, keys and the projected rows from `first` on, from which the bias of any cell follows."""

    queries: Queries
    keys: Keys
    scale: float
    distances: Distances
    first: int
    to_position: Float[Tensor, "head distance head_width"] | None
    to_content: Float[Tensor, "head distance head_width"] | None

    @property
    def bytes(self) -> int:
        """What keeping the projected rows costs."""
        kept = (part for part in (self.to_position, self.to_content) if part is not None)
        return sum(part.numel() * part.element_size() for part in kept)

    def at(self, rows: Indices, columns: Indices) -> Float[Tensor, "batch head query key"]:
        """Return the bias of queries (rows) on keys (columns) (equation 4, second and third term)."""
        row = self.distances.of(rows[:, None] - columns[None, :]) - self.first
        found = self.queries.new_zeros(*self.queries.shape[:2], *row.shape)
        if self.to_position is not None:
            found = found + _picked(self.queries[:, :, rows] @ self.to_position.transpose(-2, -1), row)
        if self.to_content is not None:
            found = found + _picked(self.keys[:, :, columns] @ self.to_content.transpose(-2, -1), row.T).mT
        return self.scale * found

    def of(self, sentence: int, keep: Tensor) -> DisentangledBias:
        """Crop queries and keys; distances within a sentence stay what they are."""
        queries, keys = (part[sentence : sentence + 1, :, keep] for part in (self.queries, self.keys))
        return replace(self, queries=queries, keys=keys)


def _picked(scores: Tensor, row: Tensor) -> Tensor:
    return scores.gather(-1, row.expand(*scores.shape[:2], *row.shape))


class DistanceRows(nn.Module):
    """One learned row per distance, shared by all layers; normed where the family does so."""

    def __init__(self, width: int, distances: Distances, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.distances, self.norm = distances, norm or nn.Identity()
        self.rows = nn.Embedding(2 * distances.span, width)

    def forward(self, length: int) -> Rows:
        """Return the rows that a text of this length needs."""
        first, last = self.distances.within(length)
        rows: Rows = self.norm(self.rows.weight[None, first : last + 1])[0]
        return rows
