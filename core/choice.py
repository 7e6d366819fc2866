"""What a person has chosen to look at: the only thing that comes back down the staircase."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One view of a trace.

    `layer` None means the mean over all layers; `heads` empty means the mean over the layer's heads, several heads are
    drawn over each other. `query` and `key` are positions of pieces in the sample, so that a choice survives a change
    of units.
    """

    side: str | None = None
    layer: int | None = 0
    heads: tuple[int, ...] = (0,)
    query: int | None = None
    key: int | None = None
