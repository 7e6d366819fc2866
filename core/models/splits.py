"""Splits: how a published tensor, a matrix or its bias, is taken apart into parameters by our names.

Whatever does not fit comes out in a wrong shape, which filling then refuses with both shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from torch import Tensor

Split = Callable[[Tensor], Mapping[str, Tensor]]

LOOKING = ("queries", "keys", "values")


def mixer_parts(mixer: str) -> tuple[str, ...]:
    """Return our names of what makes queries, keys and values in a mixer."""
    return tuple(f"{mixer}.{part}" for part in LOOKING)


def turned(name: str) -> Split:
    """Return the split for a matrix that is stored input by output."""
    return lambda tensor: {name: _upright(tensor)}


def stacked(names: Sequence[str], sizes: Sequence[int], *, over: bool = False) -> Split:
    """Return the split for parts that lie one after another, `sizes` rows each; `over`: stored input by output."""
    starts = [0, *accumulate(sizes[:-1])]

    def split(tensor: Tensor) -> Mapping[str, Tensor]:
        rows = _upright(tensor) if over else tensor
        ends = [*starts[1:], len(rows)]
        return {name: rows[start:end] for name, start, end in zip(names, starts, ends, strict=True)}

    return split


def squeezed(name: str) -> Split:
    """Return the split for a tensor with axes of one before its own: [1, position, width], or [1, 1, width] for a
    row."""

    def split(tensor: Tensor) -> Mapping[str, Tensor]:
        rows = tensor.squeeze(0)
        return {name: rows.squeeze(0) if rows.ndim > 1 and len(rows) == 1 else rows}

    return split


def interleaved(names: Sequence[str], counts: Sequence[int], head_width: int) -> Split:
    """Return the split for groups of heads: so many of the first part, so many of the second ..., then the next group.

    `counts` says how many heads each part has in a group.
    """
    starts, group = [0, *accumulate(counts)], sum(counts) * head_width

    def split(tensor: Tensor) -> Mapping[str, Tensor]:
        if len(tensor) % group:
            return {names[0]: tensor}
        heads = tensor.unflatten(0, (-1, sum(counts), head_width))
        bounds = zip(names, starts, starts[1:], strict=False)
        return {name: heads[:, start:end].flatten(0, 2) for name, start, end in bounds}

    return split


def _upright(tensor: Tensor) -> Tensor:
    return tensor.T if tensor.ndim == 2 else tensor
