"""One layer computed again in float64, from what entered it and the file's parameters: every number proves itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.analysis.maps import Numbers
from core.errors import CoreError
from core.mixers.softmax import Attention, plain
from core.tape import Place, Tape
from core.tracing import Trace
from core.walk import Walk


@dataclass(frozen=True, kw_only=True, eq=False)
class Stage:
    """What one part of the layer gave for the query, in the order in which the parts ran.

    `part` is its place in the layer (mixer.queries, feed_norm ...), `kind` its class, `shape` that of its whole
    output, and `values` [width] its output in the query's row; where a part norms every head, [head, head_width].
    """

    part: str
    kind: str
    shape: tuple[int, ...]
    values: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Recomputed:
    """A layer again: what its softmax was given (float64), how its parts are wired, what every part gave for one query,
    and how far float32 was.

    `errors` are relative: the largest difference from what the fused run produced over the largest value, for queries,
    keys, values, mixed (what the softmax gave) and output (what leaves the layer).
    """

    attention: Attention
    wiring: str
    stages: tuple[Stage, ...]
    errors: Mapping[str, float]


@torch.no_grad()
def recompute(trace: Trace, layer: int, query: int, side: str | None = None) -> Recomputed:
    """Compute one layer of a trace again on a copy of its parameters in float64.

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    seen = trace.layer(layer, side)
    side = side or trace.sides[0]
    stack = "decoder" if side == "cross" else side
    states = trace.hiddens[stack]
    if not 0 <= query < states[0].shape[1]:
        raise CoreError("out_of_range", what="query", came=query, allowed=states[0].shape[1] - 1)
    part = copy.deepcopy(trace.model.side(stack).layers[layer]).to("cpu", torch.float64)
    walk = walk_again(trace, stack, seen)
    with listening(part, query) as stages:
        output = part(_double(states[layer]), walk, Place(stack, layer))
    again: Attention = walk.tape.read("attention", side)[0]
    errors = {name: relative(getattr(seen, name), getattr(again, name)) for name in ("queries", "keys", "values")}
    errors["mixed"] = relative(plain(seen), plain(again))
    errors["output"] = relative(states[layer + 1], output)
    return Recomputed(attention=again, wiring=type(part).__name__, stages=tuple(stages), errors=errors)


def relative(seen: Tensor, again: Tensor) -> float:
    """Return the largest difference over the largest value."""
    seen = _double(seen)
    return float((seen - again).abs().max() / again.abs().max().clamp(min=1e-300))


@contextmanager
def listening(part: nn.Module, query: int) -> Iterator[list[Stage]]:
    """Hear what every part of a private copy of a layer gives for one query; an expert, which is asked for some
    positions only, is heard in what all of them add up to."""
    heard: list[Stage] = []

    def hear(name: str, kind: str) -> Any:
        def told(module: nn.Module, given: Any, output: Any) -> None:  # noqa: ARG001
            if isinstance(output, Tensor):
                heard.append(Stage(part=name, kind=kind, shape=tuple(output.shape[1:]), values=_row(output, query)))

        return told

    named = [
        (name, module)
        for name, module in part.named_modules()
        if name and ".experts." not in name and not isinstance(module, nn.Identity)
    ]
    handles = [module.register_forward_hook(hear(name, type(module).__name__)) for name, module in named]
    try:
        yield heard
    finally:
        for handle in handles:
            handle.remove()


def walk_again(trace: Trace, stack: str, seen: Attention) -> Walk:
    """Return a walk in float64 for one layer of a trace, with a tape along and the same changes."""
    length = trace.hiddens[stack][0].shape[1]
    reads = stack == "decoder" and "encoder" in trace.finals
    return Walk(
        positions=torch.arange(length)[None],
        tape=Tape(wanted=frozenset({"attention"})),
        changes=seen.changes,
        source=_double(trace.finals["encoder"]) if reads else None,
    )


def _row(output: Tensor, query: int) -> Numbers:
    """Return the query's row: of [batch, position, width], or of [batch, head, position, head_width]."""
    axis = output.ndim - 2
    place = min(query, output.shape[axis] - 1)
    row: Numbers = output[0].select(axis - 1, place).cpu().numpy().astype(np.float32)
    return row


def _double(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", torch.float64)
