"""Every head of a side at once, within a budget of bytes; and any single map or cell exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.units import Units, units_of
from core.choice import Choice
from core.errors import CoreError
from core.mixers.softmax import Attention, allowed
from core.tracing import Trace, pooled

Numbers = NDArray[np.float32]
Intervals = tuple[tuple[int, int], ...] | None

BUDGET = 1_050_000
EXACT_BUDGET = 512 * 1024
THUMBNAIL = 48


@dataclass(frozen=True, kw_only=True, eq=False)
class Maps:
    """All heads of one side between units.

    `cells` [layer, head, row, column] are the shares themselves (float32), or uint8 in 255ths of the head's own maximum
    (`maxima` [layer, head]); where `full` is False each cell is the maximum of a `block` of units. `rules` holds, per
    distinct rule, the columns from..to that each row may look at (None: all); `rule_of` says which rule each layer has.
    A layer whose mixer has no softmax has zeros, and a rule under which nobody looks at anything.
    """

    side: str
    rows: Units
    columns: Units
    cells: NDArray[np.float32] | NDArray[np.uint8]
    maxima: Numbers
    full: bool
    block: tuple[int, int]
    rules: tuple[Intervals, ...]
    rule_of: tuple[int, ...]

    def rule_at(self, layer: int | None) -> Intervals:
        """Return the rule of a layer; for the mean of all layers, that of the first in which anybody looks."""
        if layer is None:
            layer = next((number for number in range(len(self.rule_of)) if not self.blank(number)), 0)
        return self.rules[self.rule_of[layer]]

    def blank(self, layer: int | None) -> bool:
        """Whether a layer has no maps, since its mixer has no softmax."""
        if layer is None:
            return False
        rule = self.rules[self.rule_of[layer]]
        return rule is not None and all(begin == end for begin, end in rule)


@torch.no_grad()
def maps(
    trace: Trace, side: str | None = None, units: str = "pieces", special: str = "show", budget: int = BUDGET
) -> Maps:
    """Return every head, exactly where a byte a cell fits the budget, as thumbnails of block maxima where not; of one
    cell a head, where the budget does not even hold that.

    Raises:
        CoreError: `unknown_side`, `unknown_choice` or `no_pattern`.
    """
    layers, looking = trace.layers(side), trace.looking(side)
    rows, columns = axes(trace, side, units, special)
    count = len(layers) * _count(looking)
    full = count * len(rows) * len(columns) <= budget
    block = (1, 1) if full else _block(rows, columns, _bins(budget, count))
    found = {number: heads_between(layer, rows, columns, special, block) for number, layer in looking.items()}
    shares = _all_layers(found, len(layers))
    maxima = shares.max(axis=(2, 3))
    exact = full and shares.nbytes <= min(budget, EXACT_BUDGET)
    rules = _rules(layers, rows, columns)
    distinct = tuple(dict.fromkeys(rules))
    return Maps(
        side=_side(trace, side),
        rows=rows,
        columns=columns,
        cells=shares if exact else quantised(shares, maxima),
        maxima=maxima,
        full=full,
        block=block,
        rules=distinct,
        rule_of=tuple(distinct.index(rule) for rule in rules),
    )


@torch.no_grad()
def one_map(trace: Trace, choice: Choice, units: str = "pieces", special: str = "show") -> Numbers:
    """Return the chosen map exactly [row, column]: one head, or the mean of several heads, of a layer, of all layers
    (then of all their heads, whichever are chosen).

    Raises:
        CoreError: `out_of_range`, `unknown_side`, `unknown_choice` or `no_pattern`.
    """
    looking = trace.looking(choice.side)
    _there(choice.heads, _count(looking))
    rows, columns = axes(trace, choice.side, units, special)
    if choice.layer is None:
        means = [heads_between(layer, rows, columns, special, (1, 1)).mean(axis=0) for layer in looking.values()]
        return np.mean(means, axis=0, dtype=np.float32)
    layer = trace.layer(choice.layer, choice.side)
    return heads_between(layer, rows, columns, special, (1, 1), choice.heads).mean(axis=0, dtype=np.float32)


@torch.no_grad()
def cell(
    trace: Trace, query: int, key: int, side: str | None = None, units: str = "pieces", special: str = "show"
) -> Numbers:
    """Return the share that the unit holding one position gives to the unit holding another, in every head [layer,
    head]; zeros in a layer without a softmax.

    Raises:
        CoreError: `out_of_range` for a position that does not exist, `left_out` for one that the map leaves out;
            `unknown_side`, `unknown_choice` or `no_pattern`.
    """
    rows, columns = axes(trace, side, units, special)
    row, column = _unit("query", rows, query), _unit("key", columns, key)
    alone = only(rows, [row])
    looking = trace.looking(side)
    shares = {
        number: heads_between(layer, alone, columns, special, (1, 1))[:, 0, column] for number, layer in looking.items()
    }
    return _all_layers(shares, len(trace.layers(side)))


def axes(trace: Trace, side: str | None, units: str, special: str) -> tuple[Units, Units]:
    """Return the units of the rows and of the columns of a side.

    Raises:
        CoreError: `unknown_side` or `unknown_choice`.
    """
    if trace.sides:
        trace.layers(side)
    sample, target = trace.sample, trace.sample.target or trace.sample
    name = _side(trace, side)
    queries = sample if name == "encoder" or sample.target is None else target
    keys = target if name == "decoder" else sample
    return units_of(queries, units, special), units_of(keys, units, special)


def intervals(layer: Attention, rows: Units, columns: Units) -> Intervals:
    """Return, for each row, from which to which column it may look at something; None where every row may look at
    all."""
    able = _able(layer, rows, columns)
    if able.all():
        return None
    first = able.argmax(axis=1)
    last = len(columns) - able[:, ::-1].argmax(axis=1)
    return tuple((int(a), int(b)) if row.any() else (0, 0) for a, b, row in zip(first, last, able, strict=True))


def _rules(layers: Sequence[Attention | None], rows: Units, columns: Units) -> list[Intervals]:
    """Return the intervals of each layer; each rule is asked once."""
    known = {layer.rule: layer for layer in layers if layer is not None}
    found = {rule: intervals(layer, rows, columns) for rule, layer in known.items()}
    nobody = ((0, 0),) * len(rows)
    return [nobody if layer is None else found[layer.rule] for layer in layers]


def _all_layers(found: Mapping[int, Numbers], count: int) -> Numbers:
    """Return what was found in some layers as an array of all, zeros in the others."""
    some = next(iter(found.values()))
    whole = np.zeros((count, *some.shape), dtype=np.float32)
    for number, values in found.items():
        whole[number] = values
    return whole


def _count(looking: Mapping[int, Attention]) -> int:
    return next(iter(looking.values())).shape[0]


def quantised(shares: Numbers, maxima: Numbers) -> NDArray[np.uint8]:
    """Return 255ths of each head's own maximum: good for drawing, off by at most maximum / 510."""
    scaled = shares * (255.0 / np.maximum(maxima, 1e-30))[..., None, None]
    return np.rint(scaled).astype(np.uint8)


def _able(layer: Attention, rows: Units, columns: Units) -> NDArray[np.bool_]:
    """Return whether any position of a row's unit may look at any position of a column's unit [row, column]."""
    device = layer.queries.device
    row_of, column_of = rows.grouping(device).group, columns.grouping(device).group
    may = allowed(layer)[0, 0].float()
    reached = may.new_zeros(len(may), len(columns)).index_add(1, column_of[column_of >= 0], may[:, column_of >= 0])
    found = may.new_zeros(len(rows), len(columns)).index_add(0, row_of[row_of >= 0], reached[row_of >= 0])
    return (found > 0).cpu().numpy()


def heads_between(
    layer: Attention,
    rows: Units,
    columns: Units,
    special: str,
    block: tuple[int, int] = (1, 1),
    heads: tuple[int, ...] = (),
) -> Numbers:
    """Return the heads of one layer between units [head, row, column], the maximum of each block; all, or some."""
    device = layer.queries.device
    groups = rows.grouping(device), columns.grouping(device)
    found = pooled(layer, *groups, block, renormalise=special == "renormalise", heads=heads)
    return found.cpu().float().numpy()


def _bins(budget: int, count: int) -> int:
    """Return how many cells a side a thumbnail may have, so that all of them fit the budget; one at least."""
    return max(1, min(THUMBNAIL, int(sqrt(max(0, budget) / count))))


def _block(rows: Units, columns: Units, bins: int) -> tuple[int, int]:
    return ceil(len(rows) / bins), ceil(len(columns) / bins)


def _side(trace: Trace, side: str | None) -> str:
    return side or next(iter(trace.sides), "decoder")


def _unit(what: str, units: Units, position: int) -> int:
    found = units.at(position)
    if found is None:
        within(what, position, units.length)
        raise CoreError("left_out", what=what, came=position)
    return found


def within(what: str, came: int, count: int) -> None:
    """Make sure that there is a position, a head or a layer of this number.

    Raises:
        CoreError: `out_of_range`.
    """
    if came not in range(count):
        raise CoreError("out_of_range", what=what, came=came, allowed=count - 1)


def _there(heads: tuple[int, ...], count: int) -> None:
    for head in heads:
        within("head", head, count)


def only(units: Units, numbers: Sequence[int]) -> Units:
    """Return some of the units, in the order given."""
    return Units(
        members=tuple(units.members[number] for number in numbers),
        labels=tuple(units.labels[number] for number in numbers),
        titles=tuple(units.titles[number] for number in numbers),
        kinds=tuple(units.kinds[number] for number in numbers),
        length=units.length,
    )


__all__ = ["Maps", "axes", "cell", "intervals", "maps", "one_map"]
