"""Rules: who may look at whom. A rule answers for any rows and columns, and is never a length x length array.

Rules combine with `&` (both must allow) and `|` (one is enough).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.shapes import Indices, Keep, KeepRows


class Rule:
    """A rule of attention; `at` is all that a rule must answer."""

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Return bool [1 or batch, rows, columns]: True where the query may look at the key."""
        raise TypeError(type(self).__name__)

    def reach(self, row: int, count: int) -> int:
        """Return how many of `count` keys, from the first, the queries up to `row` may look at."""
        return count

    def of(self, sentence: int, keep: Tensor) -> Rule:
        """Return the rule of one sentence of a batch after cropping it to the places in `keep`."""
        return self

    def open(self) -> Rule:
        """Return the rule without its order: padding stays hidden, everything else is allowed."""
        return Everyone()

    def __and__(self, other: Rule) -> Rule:
        if isinstance(self, Everyone):
            return other
        return self if isinstance(other, Everyone) else Both(first=self, second=other)

    def __or__(self, other: Rule) -> Rule:
        return Either(first=self, second=other)


@dataclass(frozen=True, kw_only=True)
class Everyone(Rule):
    """Every position may look at every position (an encoder)."""

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow everything."""
        return torch.ones(1, len(rows), len(columns), dtype=torch.bool, device=rows.device)


@dataclass(frozen=True, kw_only=True)
class Causal(Rule):
    """A position looks at itself and at what came before it (Vaswani et al. 2017, section 3.2.3)."""

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow key <= query."""
        return (columns[None, :] <= rows[:, None])[None]

    def reach(self, row: int, count: int) -> int:
        """Return the keys up to the last query."""
        return min(row + 1, count)


@dataclass(frozen=True, kw_only=True)
class Window(Rule):
    """A position looks at most `size` positions back, itself included, and as far ahead (Beltagy et al. 2020, section
    3.1)."""

    size: int

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow |query - key| < size."""
        return ((rows[:, None] - columns[None, :]).abs() < self.size)[None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Padding(Rule):
    """Nobody looks at padding. A row that is padding itself may look anywhere, so that its softmax has something to
    sum.

    `rows` are the kept places of the queries where these are another sequence than the keys (cross-attention).
    """

    keep: Keep
    rows: KeepRows | None = None

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow keys that are kept, and everything to rows that are not."""
        hidden_rows = ~self.rows[:, rows, None] if self.rows is not None else ~self.keep[:, rows, None]
        return self.keep[:, None, columns] | hidden_rows

    def of(self, sentence: int, keep: Tensor) -> Rule:
        """After cropping, no padding is left."""
        return Everyone()

    def open(self) -> Rule:
        """Padding stays padding."""
        return self


@dataclass(frozen=True, kw_only=True)
class Both(Rule):
    """Two rules that must both allow."""

    first: Rule
    second: Rule

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Combine as booleans, so that doubly masked cells are simply masked."""
        return self.first.at(rows, columns) & self.second.at(rows, columns)

    def reach(self, row: int, count: int) -> int:
        """Return what both reach."""
        return min(self.first.reach(row, count), self.second.reach(row, count))

    def open(self) -> Rule:
        """Open both."""
        return self.first.open() & self.second.open()

    def of(self, sentence: int, keep: Tensor) -> Rule:
        """Crop both."""
        return self.first.of(sentence, keep) & self.second.of(sentence, keep)


@dataclass(frozen=True, kw_only=True)
class Either(Rule):
    """Two rules of which one is enough."""

    first: Rule
    second: Rule

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow what either allows."""
        return self.first.at(rows, columns) | self.second.at(rows, columns)

    def reach(self, row: int, count: int) -> int:
        """Return what either reaches."""
        return max(self.first.reach(row, count), self.second.reach(row, count))

    def open(self) -> Rule:
        """Open both."""
        return self.first.open() | self.second.open()

    def of(self, sentence: int, keep: Tensor) -> Rule:
        """Crop both."""
        return Either(first=self.first.of(sentence, keep), second=self.second.of(sentence, keep))
