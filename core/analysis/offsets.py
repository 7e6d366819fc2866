"""How much of a head is position alone: its mean pattern by relative offset, and what that mean explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.analysis.maps import Numbers, one_map
from core.choice import Choice
from core.mixers.softmax import allowed
from core.tracing import Trace

NAMED = {-1: "previous", 0: "same", 1: "next"}
CLEAR = 0.5


@dataclass(frozen=True, kw_only=True, eq=False)
class Offsets:
    """A head by relative offset (key - query).

    `mean` [offset] is the mean share at each of `offsets`, over the rows that have such a key; `explained` says how
    much of the pattern's difference from even shares the offset alone reproduces (1: position is everything, 0:
    nothing); `rows` [offset] says how many may look that far, `name` is previous, same or next
    where that offset gets at least half of every row on average.
    """

    offsets: NDArray[np.int64]
    mean: Numbers
    explained: float
    name: str | None
    rows: NDArray[np.int64]

    @property
    def best(self) -> int:
        """The place of the offset that the name stands for, or of the one with the largest mean."""
        named = [offset for offset, name in NAMED.items() if name == self.name]
        return int(np.flatnonzero(self.offsets == named[0])[0]) if named else int(self.mean.argmax())

    @property
    def there(self) -> NDArray[np.bool_]:
        """At which offsets anybody may look at all, so that what a rule forbids is not drawn as zero."""
        return self.rows > 0


@dataclass(frozen=True, kw_only=True)
class Positional:
    """A head that position explains, and how well."""

    layer: int
    head: int
    explained: float
    name: str | None


def offsets(trace: Trace, choice: Choice) -> Offsets:
    """Return the chosen map by relative offset.

    Raises:
        CoreError: what `one_map` raises.
    """
    return by_offset(one_map(trace, choice), reach(trace, choice.layer or 0, choice.side))


def reach(trace: Trace, layer: int, side: str | None = None) -> NDArray[np.bool_]:
    """Return whom each query may look at by a layer's rule [query, key]."""
    attention = trace.layer(layer, side)
    found = allowed(attention)[0, 0].cpu().numpy()
    return np.broadcast_to(found, attention.shape[1:])


def positional(trace: Trace, side: str | None = None, best: int = 12) -> tuple[Positional, ...]:
    """Return the heads that position alone explains best, the `best` of them, best first.

    Raises:
        CoreError: `unknown_side` or `no_pattern`.
    """
    found = []
    for layer, attention in trace.looking(side).items():
        may = reach(trace, layer, side)
        for head in range(attention.shape[0]):
            told = by_offset(trace.pattern(layer, head, side), may)
            found.append(Positional(layer=layer, head=head, explained=told.explained, name=told.name))
    return tuple(sorted(found, key=lambda one: -one.explained)[: max(0, best)])


def by_offset(pattern: Numbers, reach: NDArray[np.bool_] | None = None) -> Offsets:
    """Return a pattern [query, key] by relative offset, content averaged out; `reach` says who may look at whom (None:
    all)."""
    may = np.ones(pattern.shape, dtype=bool) if reach is None else reach
    every, mean, index = mean_by_offset(np.where(may, pattern, np.nan))
    rows = np.bincount(index[may], minlength=len(every))
    explained = _explained(pattern, mean[index], may)
    return Offsets(offsets=every, mean=mean, explained=explained, name=_name(every, mean), rows=rows)


def mean_by_offset(cells: Numbers) -> tuple[NDArray[np.int64], Numbers, NDArray[np.int64]]:
    """Return every offset (key - query) of a map, the mean of its cells, and for each cell the place of its offset.

    Cells that are not a number are left out; an offset that has no others has the mean 0.
    """
    rows, columns = cells.shape
    index = np.arange(columns)[None, :] - np.arange(rows)[:, None] + rows - 1
    there = np.isfinite(cells)
    count = np.bincount(index[there], minlength=rows + columns - 1)
    sums = np.bincount(index[there], weights=cells[there].astype(np.float64), minlength=rows + columns - 1)
    return np.arange(1 - rows, columns), (sums / np.maximum(count, 1)).astype(np.float32), index


def _explained(pattern: Numbers, expected: Numbers, reach: NDArray[np.bool_]) -> float:
    """Return one minus the error of the offset's prediction over the error of even shares, both within each row's
    reach."""
    predicted = np.where(reach, expected, 0)
    predicted = predicted / np.maximum(predicted.sum(-1, keepdims=True), 1e-30)
    even = reach / np.maximum(reach.sum(-1, keepdims=True), 1)
    around = float(((pattern - even) ** 2).sum())
    return 0.0 if around < 1e-12 else max(0.0, 1.0 - float(((pattern - predicted) ** 2).sum()) / around)


def _name(every: NDArray[np.int64], mean: Numbers) -> str | None:
    found = {offset: float(mean[every == offset].max(initial=0.0)) for offset in NAMED}
    best = max(found, key=lambda offset: found[offset])
    return NAMED[best] if found[best] >= CLEAR else None
