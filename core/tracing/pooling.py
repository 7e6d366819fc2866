"""Maps between groups of positions, pooled block by block, so that no full square of all heads is ever held."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import pad

from core.mixers.softmax import BLOCK, Attention, one_head, pattern, within_reach


@dataclass(frozen=True, kw_only=True, eq=False)
class Grouping:
    """Which group each position belongs to, -1 where it is left out; groups are numbered in reading order."""

    group: Int[Tensor, " position"]
    count: int

    @property
    def trivial(self) -> bool:
        """Whether every position is its own group."""
        return self.count == len(self.group) and bool((self.group >= 0).all())


def identity(count: int, device: torch.device | None = None) -> Grouping:
    """Return the grouping in which every position stands for itself."""
    return Grouping(group=torch.arange(count, device=device), count=count)


def pooled(
    attention: Attention,
    rows: Grouping,
    columns: Grouping,
    blocks: tuple[int, int] = (1, 1),
    *,
    renormalise: bool = False,
    heads: tuple[int, ...] = (),
) -> Float[Tensor, "head row column"]:
    """Return a layer's heads between groups: columns of a group add, rows of a group average, then the block maximum.

    `renormalise` divides each row by what is left of it after columns were left out; `heads` names some heads, else
    all.
    """
    found = []
    for first in range(0, rows.count, step := _step(rows, blocks[0])):
        last = min(first + step, rows.count)
        wanted = ((rows.group >= first) & (rows.group < last)).nonzero()[:, 0]
        near = within_reach(attention, int(wanted[-1]))
        narrow = _patterns(near, wanted, heads)
        shares = _columns(pad(narrow, (0, len(columns.group) - narrow.shape[2])), columns)
        shares = _rows(shares, rows.group[wanted] - first, last - first, rows.trivial)
        if renormalise:
            shares = shares / shares.sum(-1, keepdim=True).clamp(min=1e-30)
        found.append(block_maximum(shares, blocks))
    return torch.cat(found, dim=1)


def _patterns(attention: Attention, rows: Tensor, heads: tuple[int, ...]) -> Float[Tensor, "head row column"]:
    if not heads or attention.changes or attention.bias is not None:
        return pattern(attention, rows)[0][list(heads) or slice(None)]
    return torch.cat([pattern(one_head(attention, head), rows)[0] for head in heads])


def _step(rows: Grouping, block: int) -> int:
    """Return how many groups of rows to take at once: whole blocks, and about BLOCK positions."""
    per_group = max(1, len(rows.group) // max(1, rows.count))
    return max(1, BLOCK // (per_group * block)) * block


def _columns(shares: Tensor, columns: Grouping) -> Tensor:
    if columns.trivial:
        return shares
    kept = (columns.group >= 0).nonzero()[:, 0]
    empty = shares.new_zeros(*shares.shape[:2], columns.count)
    return empty.index_add(2, columns.group[kept], shares[:, :, kept])


def _rows(shares: Tensor, group: Tensor, count: int, trivial: bool) -> Tensor:
    if trivial:
        return shares
    sums = shares.new_zeros(shares.shape[0], count, shares.shape[2]).index_add(1, group, shares)
    return sums / torch.bincount(group, minlength=count).clamp(min=1)[None, :, None]


def block_maximum(shares: Float[Tensor, "head row column"], blocks: tuple[int, int]) -> Float[Tensor, "head top left"]:
    """Return the maximum of each block; the last blocks may be smaller."""
    if blocks == (1, 1):
        return shares
    (height, width), (_, rows, columns) = blocks, shares.shape
    padded = pad(shares, (0, -columns % width, 0, -rows % height))
    return padded.unflatten(2, (-1, width)).amax(3).unflatten(1, (-1, height)).amax(2)
