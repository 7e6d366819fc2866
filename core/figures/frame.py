"""The bytes that the map component draws: a header in JSON, the heads' maxima, and the cells."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.figures.labels import occurrences

VERSION = 1
EXACT_CELLS = 512 * 512


@runtime_checkable
class Axis(Protocol):
    """The units along one axis."""

    labels: tuple[str, ...]
    titles: tuple[str, ...]
    kinds: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    boundary: int | None


def frame(
    maps: Any,
    *,
    units: str = "pieces",
    special: str = "show",
    url: str | None = None,
    chosen: tuple[dict[str, Any], bytes] | None = None,
    name: str = "heads",
) -> bytes:
    """Pack all heads: `u32 length | JSON | float32 maxima [layer, head] | cells [layer, head, row, column]`.

    `url` is where one exact map can be fetched; where there is none, `chosen` is the exact map of the present choice
    (what it is, and its bytes), appended last. The JSON is ASCII, padded so that what follows begins at a multiple of
    four.
    """
    layers, heads, rows, columns = maps.cells.shape
    header = {
        "version": VERSION,
        "name": name,
        "side": maps.side,
        "layers": layers,
        "heads": heads,
        "rows": axis(maps.rows),
        "columns": axis(maps.columns),
        "full": maps.full,
        "type": "f4" if maps.cells.dtype == np.float32 else "u1",
        "cells": [rows, columns],
        "block": list(maps.block),
        "rules": maps.rules,
        "rule_of": maps.rule_of,
        "boundary": maps.rows.boundary,
        "special": special,
        "units": units,
        "url": url,
        "extra": {**chosen[0], "bytes": len(chosen[1])} if chosen else None,
    }
    body = maps.maxima.astype("<f4").tobytes() + np.ascontiguousarray(maps.cells).tobytes()
    return packed(header, body + (chosen[1] if chosen else b""))


def packed(header: Mapping[str, Any], body: bytes) -> bytes:
    """Pack words and numbers: `u32 length | JSON | body`, the JSON so long that the body begins at a multiple of
    four."""
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + body


def axis(units: Axis) -> dict[str, Any]:
    """Return what the component must know of the units along one axis."""
    return {
        "labels": units.labels,
        "titles": units.titles,
        "kinds": units.kinds,
        "alike": occurrences(units.labels),
        "at": [members[0] for members in units.members],
        "ends": [members[-1] for members in units.members],
    }


def line_bytes(shares: NDArray[np.float32]) -> tuple[bytes, str]:
    """Return one row or column of a map as bytes, however long: float32 ("f4")."""
    return np.ascontiguousarray(shares, dtype="<f4").tobytes(), "f4"


def map_bytes(matrix: NDArray[np.float32]) -> tuple[bytes, str]:
    """Return one map as bytes: float32 up to 512 x 512 cells ("f4"), beyond that its maximum and uint8 cells ("u1")."""
    if matrix.size <= EXACT_CELLS:
        return np.ascontiguousarray(matrix, dtype="<f4").tobytes(), "f4"
    top = float(matrix.max())
    cells = np.rint(matrix * (255.0 / max(top, 1e-30))).astype(np.uint8)
    return struct.pack("<f", top) + cells.tobytes(), "u1"
