"""One row or one column of the chosen map, exactly: what a page asks for where the whole map is too large to send."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from core.analysis.maps import Numbers, axes, heads_between, one_map, only, within
from core.choice import Choice
from core.mixers.softmax import Attention
from core.tracing import Trace


@torch.no_grad()
def one_row(trace: Trace, choice: Choice, row: int, units: str = "pieces", special: str = "show") -> Numbers:
    """Return what the unit of one row looks at in the chosen map [column], without computing the other rows.

    Raises:
        CoreError: as `one_map`; `out_of_range` for a row that does not exist.
    """
    rows, columns = axes(trace, choice.side, units, special)
    within("row", row, len(rows))
    alone = only(rows, [row])
    return _chosen(trace, choice, lambda layer, heads: heads_between(layer, alone, columns, special, heads=heads)[:, 0])


def one_column(trace: Trace, choice: Choice, column: int, units: str = "pieces", special: str = "show") -> Numbers:
    """Return who looks at the unit of one column in the chosen map, and with which share [row].

    A softmax is taken over whole rows, so the whole map is computed.

    Raises:
        CoreError: as `one_map`; `out_of_range` for a column that does not exist.
    """
    within("column", column, len(axes(trace, choice.side, units, special)[1]))
    return np.ascontiguousarray(one_map(trace, choice, units, special)[:, column])


def _chosen(trace: Trace, choice: Choice, line: Callable[[Attention, tuple[int, ...]], Numbers]) -> Numbers:
    looking = trace.looking(choice.side)
    if choice.layer is None:
        means = [line(layer, ()).mean(axis=0) for layer in looking.values()]
        return np.mean(means, axis=0, dtype=np.float32)
    layer = trace.layer(choice.layer, choice.side)
    for head in choice.heads:
        within("head", head, layer.shape[0])
    return line(layer, choice.heads).mean(axis=0, dtype=np.float32)
