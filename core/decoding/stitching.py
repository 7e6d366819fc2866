"""The rows that each step of writing adds to every head's map, and the whole map stitched together from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from core.decoding.steps import Rows, Shares, Step
from core.errors import CoreError
from core.mixers.softmax import Attention, pattern
from core.tape import Tape

SIDES = ("decoder", "cross")


@torch.inference_mode()
def added(tape: Tape, new: int, length: int) -> Shares:
    """Return the shares of the last `new` queries, by side [layer, head, query, key].

    A decoder's rows are `length` wide: keys that a layer has let go are NaN, and so is a layer without a softmax.
    """
    found = {}
    for side in SIDES:
        layers = tape.read("attention", side)
        if any(layers):
            found[side] = _filled([None if one is None else _rows(one, new) for one in layers], side, length)
    tape.records.clear()
    return found


def upto(rows: Shares, top: int, end: int, new: int) -> Shares:
    """Return the rows from `top` to `end` of `new` ones, as wide as the last of them can see."""
    ahead = new - end
    return {
        side: some[:, :, top:end, : some.shape[3] - ahead if side == "decoder" else None] for side, some in rows.items()
    }


def stitched(steps: Sequence[Step], side: str = "decoder") -> Rows:
    """Return the map that writing computed [layer, head, query, key], NaN in cells that it never did.

    The last piece was never read, so it has no row: after a text of p pieces n written ones make p + n - 1 rows. What
    was computed equals one whole pass over the same pieces (tested to 1e-5).

    Raises:
        CoreError: `not_watched` for steps that were made without `watch`; `unknown_side`.
    """
    parts = [step.rows for step in steps]
    if not parts or any(part is None for part in parts):
        raise CoreError("not_watched")
    rows = [part.get(side) for part in parts if part is not None]
    if any(some is None for some in rows):
        raise CoreError("unknown_side", came=side, allowed=", ".join(parts[0] or ()))
    known = [some for some in rows if some is not None]
    shape = known[-1].shape
    found = np.full((*shape[:2], sum(some.shape[2] for some in known), shape[3]), np.nan, dtype=np.float32)
    top = 0
    for some in known:
        found[:, :, top : top + some.shape[2], : some.shape[3]] = some
        top += some.shape[2]
    return found


def _rows(attention: Attention, new: int) -> Tensor:
    count = attention.queries.shape[2]
    return pattern(attention, torch.arange(count - new, count, device=attention.queries.device))[0]


def _filled(layers: Sequence[Tensor | None], side: str, length: int) -> Rows:
    some = next(layer for layer in layers if layer is not None)
    keys = length if side == "decoder" else some.shape[2]
    found = np.full((len(layers), *some.shape[:2], keys), np.nan, dtype=np.float32)
    for number, layer in enumerate(layers):
        if layer is not None:
            found[number, :, :, keys - layer.shape[2] :] = layer.float().cpu().numpy()
    return found
