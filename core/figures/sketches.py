"""What the page draws itself, as soon as its numbers come: bars, maps and tables as words and bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures.charts import Rule, without_masked
from core.figures.frame import packed
from core.figures.palettes import BELOW_AND_ABOVE, BELOW_AND_ABOVE_AT_NIGHT, INK, INK_AT_NIGHT

SHARES = (INK, INK_AT_NIGHT)
SIGNED = (BELOW_AND_ABOVE, BELOW_AND_ABOVE_AT_NIGHT)
Values = Sequence[int | float] | NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Sketch:
    """A picture or a table: what is said in and around it, and its numbers, float32."""

    header: Mapping[str, Any]
    values: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many numbers it shows."""
        return self.values.shape

    def bytes(self, sheet: Mapping[str, Any] | None = None, **more: Any) -> bytes:
        """Pack it with the columns of its sheet, and whatever else the page says around it.

        `u32 length | JSON | float32`: the numbers that are drawn, then the columns that are arrays, whose lengths the
        JSON has; all other columns stand in it. Without a sheet a map is its own.
        """
        columns = dict(sheet or {})
        floats = {name: cells for name, cells in columns.items() if isinstance(cells, np.ndarray)}
        told = [[name, cells.size if name in floats else [*cells]] for name, cells in columns.items()] or None
        body = b"".join(np.ascontiguousarray(one, dtype="<f4").tobytes() for one in (self.values, *floats.values()))
        return packed({**self.header, **more, "drawn": self.values.size, "sheet": told}, body)


def signed_bars(values: Values, words: Mapping[str, str], *, marked: slice | None = None) -> Sketch:
    """Draw one bar per dimension, blue below zero and orange above; a frame around the `marked` ones.

    `words` has `title`, `x` and `y`.
    """
    frame = [marked.start, marked.stop - 1] if marked else None
    header = {**words, "kind": "columns", "height": 218, "names": None, "labels": None, "marked": frame}
    return Sketch(header=header, values=np.asarray(values, dtype=np.float32))


def token_bars(labels: Sequence[str], series: Mapping[str, Values], words: Mapping[str, str]) -> Sketch:
    """Draw several bars per token, side by side. `words` has `title`, `x` and `y`; equal tokens stay apart."""
    header = {**words, "kind": "columns", "height": 300, "names": [*series], "labels": [*labels], "marked": None}
    return Sketch(header=header, values=stacked(series))


def stacked(series: Mapping[str, Values]) -> NDArray[np.float32]:
    """Return several series as rows."""
    return np.stack([np.asarray(one, dtype=np.float32) for one in series.values()])


def token_map(
    shares: NDArray[np.float32],
    rows: Sequence[str],
    columns: Sequence[str],
    words: Mapping[str, str],
    *,
    top: float | None = 1.0,
    rule: Rule = None,
    mark: int | None = None,
    small: bool = False,
) -> Sketch:
    """Draw a map between tokens, its cells square where there are as many of both: queries down from row 0 on top, keys
    across.

    `words` has `title`, `query`, `key` and `share`; `top`, `rule` and `mark` as those of a heatmap. A `small` one has
    nothing beside it that says what its colours mean.
    """
    cells = without_masked(shares, rule)
    ends = [0.0, (float(np.nanmax(shares)) if top is None else top) or 1.0]
    marked = None if mark is None else [mark, mark]
    how = {"ends": ends, "colours": SHARES, "marked": marked, "scale": not small, "widest": 330 if small else 520}
    return _map(cells, _between(words), rows=[*rows], columns=[*columns], **how)


def score_map(
    scores: NDArray[np.float32], rows: Sequence[str], columns: Sequence[str], words: Mapping[str, str], *, top: float
) -> Sketch:
    """Draw numbers of both signs between tokens: blue below zero, orange above, as strong as they come at `top`.

    What is not a number is drawn as masked. `words` as those of a map of shares.
    """
    how = {"ends": [-(top or 1.0), top or 1.0], "colours": SIGNED, "marked": None}
    return _map(np.asarray(scores, dtype=np.float32), _between(words), rows=[*rows], columns=[*columns], **how)


def part_map(cells: NDArray[np.float32], rows: Sequence[str], words: Mapping[str, str], *, top: float = 1.0) -> Sketch:
    """Draw numbers between -`top` and `top`, one row per part and one column per dimension: blue below zero, orange
    above.

    `words` has `title`, `rows`, `columns` and `value`.
    """
    said = {"title": words["title"], "x": words["columns"], "y": words["rows"], "share": words["value"]}
    how = {"ends": [-(top or 1.0), top or 1.0], "colours": SIGNED, "marked": None}
    return _map(np.asarray(cells, dtype=np.float32), said, rows=[*rows], columns=None, **how)


def text_table(columns: Mapping[str, Sequence[str]], *, marked: int | None = None) -> Sketch:
    """Write columns of texts, the first one naming the rows, of which one may be `marked`."""
    header = {"kind": "table", "table": [[name, [*cells]] for name, cells in columns.items()], "marked": marked}
    return Sketch(header=header, values=np.zeros(0, dtype=np.float32))


def _between(words: Mapping[str, str]) -> dict[str, str]:
    return {"title": words["title"], "x": words["key"], "y": words["query"], "share": words["share"]}


def _map(cells: NDArray[np.float32], said: Mapping[str, str], columns: list[str] | None, **how: Any) -> Sketch:
    down, across = cells.shape
    size = {"cells": cells.shape, "high": int(min(520, 26 * down)), "square": columns is not None and down == across}
    header = {**said, "scale": True, "widest": 520, **how, **size, "kind": "cells", "columns": columns, "names": None}
    return Sketch(header=header, values=cells)
