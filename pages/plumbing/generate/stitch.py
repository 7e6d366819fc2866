"""The maps of a text in the making, as the map component takes them. Knows no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

import numpy as np

import core

BUDGET = 1_050_000
THUMBNAIL = 48
EXACT = 512 * 1024


def sides(steps: Sequence[core.Step]) -> tuple[str, ...]:
    """Return the sides whose rows the steps have."""
    first = steps[0].rows if steps else None
    return tuple(first) if first else ()


def maps(cells: Any, side: str, rows: Sequence[str], columns: Sequence[str]) -> core.analysis.Maps:
    """Return stitched rows [layer, head, query, key] as maps; what was never computed may not be looked at, nor
    what comes later, nor what lies before a layer's window.

    Where all cells together are too many for a page, each head is drawn in blocks of its largest cells.
    """
    known = np.isfinite(cells)
    if side == "decoder":
        known &= np.tril(np.ones(cells.shape[2:], dtype=bool)) & (cells != 0).any(axis=1, keepdims=True)
    shares = np.where(known, cells, 0).astype(np.float32)
    full = shares.size <= BUDGET
    block = (1, 1) if full else _block(shares.shape)
    drawn = shares if full else pooled(shares, block)
    maxima = drawn.max(axis=(2, 3))
    rules = [_intervals(some) for some in known.any(axis=1)]
    distinct = tuple(dict.fromkeys(rules))
    return core.analysis.Maps(
        side=side,
        rows=units(rows),
        columns=units(columns),
        cells=drawn if full and drawn.nbytes <= EXACT else quantised(drawn, maxima),
        maxima=maxima,
        full=full,
        block=block,
        rules=distinct,
        rule_of=tuple(distinct.index(rule) for rule in rules),
    )


def units(labels: Sequence[str]) -> core.analysis.Units:
    """Return tokens as the units of an axis."""
    places = range(len(labels))
    return core.analysis.Units(
        members=tuple((place,) for place in places),
        labels=tuple(labels),
        titles=tuple(labels),
        kinds=("word",) * len(labels),
        length=len(labels),
    )


def exact(cells: Any, chosen: core.Choice, key: int | None) -> tuple[dict[str, Any], bytes]:
    """Return what one map is and its cells, and one cell in every head where both of its tokens are chosen."""
    shares = np.nan_to_num(cells)
    layer = shares[chosen.layer or 0]
    one = layer[list(chosen.heads)] if chosen.heads else layer
    told: dict[str, Any] = {"layer": chosen.layer, "heads": list(chosen.heads)}
    found = one.mean(axis=0, dtype=np.float32).tobytes()
    if chosen.query is None or key is None:
        return told, found
    pair = np.ascontiguousarray(shares[:, :, chosen.query, key], dtype=np.float32)
    return {**told, "query": chosen.query, "key": key}, found + pair.tobytes()


def pooled(shares: Any, block: tuple[int, int]) -> Any:
    """Return the largest cell of each block [layer, head, row, column]."""
    layers, heads, rows, columns = shares.shape
    down, across = ceil(rows / block[0]), ceil(columns / block[1])
    wide = np.zeros((layers, heads, down * block[0], across * block[1]), dtype=np.float32)
    wide[:, :, :rows, :columns] = shares
    return wide.reshape(layers, heads, down, block[0], across, block[1]).max(axis=(3, 5))


def quantised(shares: Any, maxima: Any) -> Any:
    """Return 255ths of each head's own maximum."""
    return np.rint(shares * (255.0 / np.maximum(maxima, 1e-30))[..., None, None]).astype(np.uint8)


def _block(shape: tuple[int, ...]) -> tuple[int, int]:
    layers, heads, rows, columns = shape
    bins = max(1, min(THUMBNAIL, int(sqrt(BUDGET / (layers * heads)))))
    return ceil(rows / bins), ceil(columns / bins)


def _intervals(known: Any) -> tuple[tuple[int, int], ...] | None:
    """Return from which to which column each row was computed; None where every cell was."""
    if known.all():
        return None
    first, last = known.argmax(axis=1), known.shape[1] - known[:, ::-1].argmax(axis=1)
    return tuple((int(a), int(b)) if row.any() else (0, 0) for a, b, row in zip(first, last, known, strict=True))
