"""One cell of one map, from the two tokens to the output: each step of the sum with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.recomputing import Stage, recompute, relative
from core.errors import CoreError
from core.mixers.softmax import Attention, allowed, pattern, scores
from core.tracing import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class Cell:
    """How one query comes to give one key its share (Vaswani et al. 2017, equation 1).

    query . key = `dot`, the sum of `products` [head_width]; times `scale`, plus `bias`, softly capped at `cap` where
    the family does so: `score`, if `may` look there at all. Then the row: `scores` [key], `exponentials` of each less
    the largest, their sum `total`, and `shares`.
    """

    query: Numbers
    key: Numbers
    products: Numbers
    dot: float
    scale: float
    bias: float
    cap: float | None
    may: bool
    score: float
    scores: Numbers
    exponentials: Numbers
    total: float
    shares: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Moved:
    """What the row moves: shares times values, and what that is once it is written back.

    `mixed` [head_width] is the weighted sum; `joined` [heads x head_width] those of all heads side by side, this
    head's from `first` on; `written` [width] is `mixed` through this head's part of the output projection; `strength`
    [key] is how much of it comes from each key: its share times the length of its value as written (Kobayashi et al.
    2020, equation 5).
    """

    mixed: Numbers
    joined: Numbers
    first: int
    written: Numbers
    strength: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Explained:
    """A cell, what its row moves, every part of the layer for that query, how those parts are wired (the name of the
    wiring), and how far the fused run was from all of it.

    `errors` has those of `recompute`, and for what the fused kernel never writes down those of the plain formula in the
    run's own type and with its own queries, keys and values: the row after `dot`, `scale`, `bias`, `cap` and `mask`, as
    far as the family has them, and what the head has `written` through its part of the output projection. All are
    relative, but that of the row's `shares`, which is the largest difference of two shares; `apart` is that of this
    cell's.
    """

    side: str
    layer: int
    head: int
    group: int
    cell: Cell
    moved: Moved
    wiring: str
    stages: tuple[Stage, ...]
    errors: Mapping[str, float]
    apart: float


@torch.no_grad()
def explain(trace: Trace, layer: int, head: int, query: int, key: int, side: str | None = None) -> Explained:
    """Follow one cell from the layer's input to its output, in float64.

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    seen = trace.layer(layer, side)
    for what, came, count in zip(("head", "query", "key"), (head, query, key), seen.shape, strict=True):
        if not 0 <= came < count:
            raise CoreError("out_of_range", what=what, came=came, allowed=count - 1)
    side = side or trace.sides[0]
    again = recompute(trace, layer, query, side)
    cell = _cell(again.attention, head, query, key)
    exact, plainly = (_steps(one, head, query) for one in (again.attention, seen))
    errors = {**again.errors, **{step: _apart(plainly[step], row) for step, row in exact.items()}}
    apart = np.abs(trace.pattern(layer, head, side, [query])[0] - cell.shares)
    errors["shares"] = float(apart.max())
    outward = _output_of_head(trace, layer, head, side)
    errors["written"] = relative(
        outward @ _row_mixed(seen, head, query), outward.double() @ _row_mixed(again.attention, head, query)
    )
    return Explained(
        side=side,
        layer=layer,
        head=head,
        group=head // seen.sharing,
        cell=cell,
        moved=_moved(trace, again.attention, cell, query, layer, head, side),
        wiring=again.wiring,
        stages=again.stages,
        errors=errors,
        apart=float(apart[key]),
    )


@torch.no_grad()
def weighted(trace: Trace, layer: int, head: int, side: str | None = None) -> Numbers:
    """Return how much a head moves from each key to each query [query, key]: shares times the lengths of the values as
    written (Kobayashi et al. 2020, equation 5).

    Raises:
        CoreError: `out_of_range`, `unknown_side` or `no_pattern`.
    """
    side = side or trace.sides[0]
    shares, seen = trace.pattern(layer, head, side), trace.layer(layer, side)
    values = seen.values[0, head // seen.sharing].to("cpu", torch.float64)
    outward = _output_of_head(trace, layer, head, side).to("cpu", torch.float64)
    return shares * _float((values @ outward.T).norm(dim=-1))


def _cell(attention: Attention, head: int, query: int, key: int) -> Cell:
    row = torch.tensor([query])
    mine, other = attention.queries[0, head, query], attention.keys[0, head // attention.sharing, key]
    found, may = scores(attention, row)[0, head, 0], allowed(attention, row).expand(1, 1, 1, -1)[0, 0, 0, key]
    exponentials = (found - found.max()).exp()
    return Cell(
        query=_float(mine),
        key=_float(other),
        products=_float(mine * other),
        dot=float(mine @ other),
        scale=attention.scale,
        bias=_bias(attention, head, row, key),
        cap=attention.cap,
        may=bool(may),
        score=float(found[key]),
        scores=_float(found),
        exponentials=_float(exponentials),
        total=float(exponentials.sum()),
        shares=_float(pattern(attention, row)[0, head, 0]),
    )


def _steps(attention: Attention, head: int, query: int) -> dict[str, Tensor]:
    """Return the row of one query [key] after every step that leads to its scores, as far as the family has it.

    The fused kernel writes none of them down; in the run's own type they are those of its queries and keys.
    """
    row, columns = torch.tensor([query], device=attention.queries.device), torch.arange(attention.shape[2])
    kind = torch.promote_types(attention.queries.dtype, torch.float32)
    mine, others = attention.queries[0, head, query], attention.keys[0, head // attention.sharing]
    found = {"dot": others.to(kind) @ mine.to(kind)}
    found["scale"] = last = found["dot"] * attention.scale
    if attention.bias is not None:
        bias = attention.bias.at(row + attention.start, columns.to(row.device))
        found["bias"] = last = last + bias[0, head if bias.shape[1] > 1 else 0, 0]
    if attention.cap is not None:
        found["cap"] = attention.cap * torch.tanh(last / attention.cap)
    return {**found, "mask": scores(attention, row)[0, head, 0]}


def _apart(plainly: Tensor, exact: Tensor) -> float:
    """Return the relative difference of two rows; infinite where they are forbidden in different places."""
    may = exact.isfinite()
    if not torch.equal(may, plainly.isfinite().to(may.device)):
        return float("inf")
    return relative(plainly.to(may.device)[may], exact[may])


def _row_mixed(attention: Attention, head: int, query: int) -> Tensor:
    """Return the values of one head in the shares of one query, added up [value_width]."""
    shares = pattern(attention, torch.tensor([query], device=attention.queries.device))[0, head, 0]
    values = attention.values[0, head // attention.sharing]
    return shares.to(values.dtype) @ values


def _bias(attention: Attention, head: int, row: Tensor, key: int) -> float:
    if attention.bias is None:
        return 0.0
    found = attention.bias.at(row + attention.start, torch.arange(attention.keys.shape[2]))
    return float(found[0, head if found.shape[1] > 1 else 0, 0, key])


def _moved(trace: Trace, attention: Attention, cell: Cell, query: int, layer: int, head: int, side: str) -> Moved:
    values = attention.values[0, head // attention.sharing]
    everyone = pattern(attention, torch.tensor([query])) @ attention.values.repeat_interleave(attention.sharing, dim=1)
    shares = torch.from_numpy(cell.shares).double()
    outward = _output_of_head(trace, layer, head, side).to("cpu", torch.float64)
    return Moved(
        mixed=_float(shares @ values),
        joined=_float(everyone.flatten()),
        first=head * values.shape[-1],
        written=_float(shares @ values @ outward.T),
        strength=_float(shares * (values @ outward.T).norm(dim=-1)),
    )


def _output_of_head(trace: Trace, layer: int, head: int, side: str) -> Tensor:
    """Return the columns of the output projection that belong to one head [width, head_width]."""
    stack, part = ("decoder", "cross") if side == "cross" else (side, "mixer")
    weight = trace.model.side(stack).get_parameter(f"layers.{layer}.{part}.output.weight")
    width = trace.layer(layer, side).values.shape[-1]
    return weight[:, head * width : (head + 1) * width]


def _float(tensor: Tensor) -> Numbers:
    found: Numbers = tensor.detach().cpu().numpy().astype(np.float32)
    return found
