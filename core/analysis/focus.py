"""One token at a time: what it looks at, who looks at it, and which heads send it where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.analysis.maps import Numbers, axes, cell, one_map, within
from core.analysis.units import Units
from core.choice import Choice
from core.inputs.sample import Span
from core.tracing import Trace


@dataclass(frozen=True, kw_only=True)
class Link:
    """A unit at the other end of a look, and its share."""

    unit: int
    position: int
    label: str
    kind: str
    share: float


@dataclass(frozen=True, kw_only=True)
class Focus:
    """One query in the chosen map.

    `looks_at` are the units it looks at, best first; `looked_at_by` the units that look at it; `total` is the row's
    sum (less than one where special pieces are left out); `evenness` is the row's entropy over the largest possible
    one for what it may look at, 0 for a single key, 1 for equal shares.
    """

    unit: int
    position: int
    label: str
    kind: str
    looks_at: tuple[Link, ...]
    looked_at_by: tuple[Link, ...]
    total: float
    evenness: float


@dataclass(frozen=True, kw_only=True)
class Sender:
    """A head, and the share with which it sends one token to another."""

    layer: int
    head: int
    share: float


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A row of the table of what went in."""

    position: int
    piece: str
    label: str
    ident: int
    span: Span | None
    kind: str
    surface: str
    part: int


def focus(trace: Trace, choice: Choice, units: str = "pieces", special: str = "show", best: int = 5) -> Focus | None:
    """Return what the chosen query looks at in the chosen map, the `best` of it; None where no query is chosen or it is
    left out.

    Raises:
        CoreError: `out_of_range` for a query that does not exist, and what `one_map` raises.
    """
    rows, columns = axes(trace, choice.side, units, special)
    if choice.query is None:
        return None
    within("query", choice.query, rows.length)
    row = rows.at(choice.query)
    if row is None:
        return None
    shares = one_map(trace, choice, units, special)
    column = columns.at(choice.query) if trace.sample.target is None else None
    return Focus(
        unit=row,
        position=rows.members[row][0],
        label=rows.labels[row],
        kind=rows.kinds[row],
        looks_at=_links(shares[row], columns, best),
        looked_at_by=() if column is None else _links(shares[:, column], rows, best),
        total=float(shares[row].sum()),
        evenness=_evenness(shares[row]),
    )


def senders(
    trace: Trace,
    query: int,
    key: int,
    side: str | None = None,
    units: str = "pieces",
    special: str = "show",
    best: int = 10,
) -> tuple[Sender, ...]:
    """Return the heads in which `query` looks most at `key` (positions of the sample), the `best` of them, best first.

    Raises:
        CoreError: what `cell` raises.
    """
    shares = cell(trace, query, key, side, units, special)
    shares[[number for number, layer in enumerate(trace.layers(side)) if layer is None]] = -1
    order = np.argsort(-shares, axis=None, kind="stable")[: max(0, best)]
    found = (np.unravel_index(place, shares.shape) for place in order)
    return tuple(
        Sender(layer=int(layer), head=int(head), share=float(shares[layer, head]))
        for layer, head in found
        if shares[layer, head] >= 0
    )


def pieces(trace: Trace) -> tuple[Piece, ...]:
    """Return the table of what went in."""
    sample = trace.sample
    return tuple(
        Piece(
            position=position,
            piece=sample.pieces[position],
            label=sample.labels[position],
            ident=int(sample.ids[position]),
            span=sample.spans[position],
            kind=sample.kinds[position],
            surface=sample.surface(position),
            part=sample.parts[position],
        )
        for position in range(len(sample))
    )


def _links(shares: Numbers, units: Units, best: int) -> tuple[Link, ...]:
    order = np.argsort(-shares, kind="stable")[: max(0, best)]
    return tuple(
        Link(
            unit=int(n),
            position=units.members[n][0],
            label=units.labels[n],
            kind=units.kinds[n],
            share=float(shares[n]),
        )
        for n in order
    )


def _evenness(shares: Numbers) -> float:
    row = shares[shares > 0].astype(np.float64)
    if len(row) < 2:
        return 0.0
    row = row / row.sum()
    return float(-(row * np.log(row)).sum() / np.log(len(row)))
