"""Rules: who may look at whom. A rule answers for any rows and columns, and is never a length x length array.

Rules combine with `&` (both must allow) and `|` (one is enough).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.shapes import Indices, Keep, KeepRows


class Rule:
    """A rule of attention; `at` is all that a rule must answer."""

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Return bool [1 or batch, rows, columns]: True where the query may look at the key."""
        raise TypeError(type(self).__name__)

    def spans(self, rows: range, count: int) -> list[range]:
        """Return the stretches of `count` keys, in order, outside of which none of these neighbouring queries looks."""
        return [range(count)]

    def reach(self, row: int, count: int) -> int:
        """Return how many of `count` keys, from the first, the queries up to `row` may look at."""
        return max((some.stop for some in self.spans(range(row + 1), count)), default=0)

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

    def spans(self, rows: range, count: int) -> list[range]:
        """Return the keys up to the last query."""
        return [range(min(rows.stop, count))]


@dataclass(frozen=True, kw_only=True)
class Window(Rule):
    """A position looks at most `size` positions back, itself included, and as far ahead (Beltagy et al. 2020, section
    3.1)."""

    size: int

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow |query - key| < size."""
        return ((rows[:, None] - columns[None, :]).abs() < self.size)[None]

    def spans(self, rows: range, count: int) -> list[range]:
        """Return the keys near any of the queries."""
        return _some(range(max(0, rows.start - self.size + 1), min(rows.stop + self.size - 1, count)))


@dataclass(frozen=True, kw_only=True)
class Prefix(Rule):
    """Everybody looks at the first `count` positions; with `Causal() |` before it, these are read as a whole and what
    follows is written (Raffel et al. 2020, section 3.2.1)."""

    count: int

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow key < count."""
        return (columns < self.count).expand(1, len(rows), -1)

    def spans(self, rows: range, count: int) -> list[range]:
        """Return the prefix."""
        return _some(range(min(self.count, count)))


@dataclass(frozen=True, kw_only=True)
class Summaries(Rule):
    """A position looks at its own block of `size`, and at the last `kept` positions of every block, which may sum it up
    (Child et al. 2019, section 4.2, the fixed pattern)."""

    size: int
    kept: int = 1

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow the same block, and summaries."""
        same = rows[:, None] // self.size == columns[None, :] // self.size
        return (same | (columns % self.size >= self.size - self.kept)[None, :])[None]

    def spans(self, rows: range, count: int) -> list[range]:
        """Return the queries' blocks, and the ends of the others."""
        own = range(rows.start // self.size * self.size, min(-(-rows.stop // self.size) * self.size, count))
        ends = [range(end - self.kept, min(end, count)) for end in range(self.size, count + self.kept, self.size)]
        return union(_some(own), [end for end in ends if end])


@dataclass(frozen=True, kw_only=True)
class Globals(Rule):
    """A few places look at everything and are looked at by everything (Beltagy et al. 2020, section 3.1; Zaheer et al.
    2020, section 2)."""

    places: tuple[int, ...] = (0,)

    def at(self, rows: Indices, columns: Indices) -> Tensor:
        """Allow what is global on either side."""
        chosen = torch.tensor(self.places, device=rows.device)
        return (torch.isin(rows, chosen)[:, None] | torch.isin(columns, chosen)[None, :])[None]

    def spans(self, rows: range, count: int) -> list[range]:
        """Return everything if one of the queries is global, else the global places."""
        if any(place in rows for place in self.places):
            return _some(range(count))
        return union([range(place, place + 1) for place in sorted(self.places) if place < count], [])


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

    def spans(self, rows: range, count: int) -> list[range]:
        """Return what both may look at."""
        return intersection(self.first.spans(rows, count), self.second.spans(rows, count))

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

    def spans(self, rows: range, count: int) -> list[range]:
        """Return what either may look at."""
        return union(self.first.spans(rows, count), self.second.spans(rows, count))

    def open(self) -> Rule:
        """Open both."""
        return self.first.open() | self.second.open()

    def of(self, sentence: int, keep: Tensor) -> Rule:
        """Crop both."""
        return Either(first=self.first.of(sentence, keep), second=self.second.of(sentence, keep))


def union(first: Sequence[range], second: Sequence[range]) -> list[range]:
    """Return the stretches of two lists together, in order, with those that touch made one."""
    found: list[range] = []
    for some in sorted((*first, *second), key=lambda some: some.start):
        if found and some.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, some.stop))
        else:
            found.append(some)
    return found


def intersection(first: Sequence[range], second: Sequence[range]) -> list[range]:
    """Return what stretches of two ordered lists share."""
    found, here, there = [], 0, 0
    while here < len(first) and there < len(second):
        one, other = first[here], second[there]
        found.extend(_some(range(max(one.start, other.start), min(one.stop, other.stop))))
        here, there = (here + 1, there) if one.stop < other.stop else (here, there + 1)
    return found


def _some(stretch: range) -> list[range]:
    return [stretch] if stretch else []
