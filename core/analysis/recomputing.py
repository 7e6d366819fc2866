"""One layer computed again in float64, from what entered it and the file's parameters: every number proves itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.analysis.maps import Numbers
from core.changes import Change
from core.errors import CoreError
from core.mixers.softmax import Attention, plain
from core.tape import Place, Tape
from core.tracing import Trace
from core.walk import Walk

SUM = "stream"


@dataclass(frozen=True, kw_only=True, eq=False)
class Stage:
    """What one part of the layer gave for the query, in the order in which the parts ran.

    `part` is its place in the layer (mixer.queries, feed_norm ...; "stream" for a sum of the residual stream), `kind`
    its class, `shape` that of its whole output, and `values` [width] its output in the query's row; where a part norms
    every head, [head, head_width]. `error` is how far the float32 run was from the whole output, relative.
    """

    part: str
    kind: str
    shape: tuple[int, ...]
    values: Numbers
    error: float


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Heard:
    """The whole output of one part of a layer, and how far another run was from it."""

    part: str
    kind: str
    output: Tensor
    error: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Layer:
    """A layer again, for all queries: what `Recomputed` is made of."""

    attention: Attention
    wiring: str
    heard: tuple[Heard, ...]
    errors: Mapping[str, float]

    @property
    def bytes(self) -> int:
        """What keeping it costs."""
        return self.attention.bytes + sum(one.output.nbytes for one in self.heard)


def recompute(trace: Trace, layer: int, query: int, side: str | None = None) -> Recomputed:
    """Compute one layer of a trace again on a copy of its parameters in float64; the last one is kept with the trace,
    so that another query, key or head of it costs next to nothing.

    Raises:
        CoreError: `out_of_range` or `unknown_side`.
    """
    trace.layer(layer, side)
    side = side or trace.sides[0]
    count = trace.hiddens[stack_of(side)][0].shape[1]
    if not 0 <= query < count:
        raise CoreError("out_of_range", what="query", came=query, allowed=count - 1)
    again = trace.shelf.last((side, layer), lambda: layer_again(trace, layer, side))
    stages = tuple(_stage(one, query) for one in again.heard)
    return Recomputed(attention=again.attention, wiring=again.wiring, stages=stages, errors=again.errors)


@torch.no_grad()
def layer_again(trace: Trace, layer: int, side: str) -> Layer:
    """Compute a layer for all queries, in float64 and in the run's own type, and compare them."""
    seen, stack = trace.layer(layer, side), stack_of(side)
    states, part, place = trace.hiddens[stack], trace.model.side(stack).layers[layer], Place(stack, layer)
    walk = walk_again(trace, stack, seen.changes, torch.float64)
    with listening(exact(part)) as (private, heard):
        output = private(_double(states[layer]), walk, place)
    with listening(twin(part)) as (same, fast):
        same(states[layer], walk_again(trace, stack, seen.changes), place)
    again: Attention = walk.tape.read("attention", side)[0]
    errors = {name: relative(getattr(seen, name), getattr(again, name)) for name in ("queries", "keys", "values")}
    errors["mixed"] = relative(plain(seen), plain(again))
    errors["output"] = relative(states[layer + 1], output)
    compared = tuple(_compared(*pair) for pair in zip(heard, fast, strict=True))
    return Layer(attention=again, wiring=type(part).__name__, heard=compared, errors=errors)


def stack_of(side: str) -> str:
    """Return the side whose layers a map belongs to: cross-attention is part of the decoder's."""
    return "decoder" if side == "cross" else side


def relative(seen: Tensor, again: Tensor) -> float:
    """Return the largest difference over the largest value."""
    seen = _double(seen)
    return float((seen - again).abs().max() / again.abs().max().clamp(min=1e-300))


def exact(part: nn.Module) -> nn.Module:
    """Return a private copy of a layer in float64."""
    return copy.deepcopy(part).to("cpu", torch.float64)


def twin(part: nn.Module) -> nn.Module:
    """Return a layer that is made of the same parameters and may be listened to: nothing is stored on the shared one,
    and no number is copied."""
    return copy.deepcopy(part, {id(own): own for own in (*part.parameters(), *part.buffers())})


@contextmanager
def listening(part: nn.Module) -> Iterator[tuple[nn.Module, list[Heard]]]:
    """Hear what every part of a private layer gives, and every sum of the stream; an expert, which is asked for some
    positions only, is heard in what all of them add up to."""
    heard: list[Heard] = []

    def hear(name: str) -> Any:
        def told(module: nn.Module, given: Any, output: Any) -> None:  # noqa: ARG001
            if isinstance(output, Tensor):
                heard.append(Heard(part=name, kind=type(module).__name__, output=output))

        return told

    add: Any = part.joined

    def joined(*given: Any) -> Tensor:
        output: Tensor = add(*given)
        heard.append(Heard(part=SUM, kind="Sum", output=output))
        return output

    vars(part)["joined"] = joined
    for name, module in part.named_modules():
        if name and ".experts." not in name and not isinstance(module, nn.Identity):
            module.register_forward_hook(hear(name))
    yield part, heard


def walk_again(trace: Trace, stack: str, changes: tuple[Change, ...] = (), exactly: torch.dtype | None = None) -> Walk:
    """Return a walk for single layers of a trace, with a tape along and the same changes."""
    length = trace.hiddens[stack][0].shape[1]
    source = trace.finals["encoder"] if stack == "decoder" and "encoder" in trace.finals else None
    return Walk(
        positions=torch.arange(length, device="cpu" if exactly else trace.hiddens[stack][0].device)[None],
        tape=Tape(wanted=frozenset({"attention"})),
        changes=changes,
        source=source if source is None or exactly is None else _double(source),
    )


def _compared(heard: Heard, fast: Heard) -> Heard:
    """Return what was heard, in the type in which it is shown, with how far the fast run was from it."""
    return replace(heard, output=heard.output.float(), error=relative(fast.output, heard.output))


def _stage(heard: Heard, query: int) -> Stage:
    shape = tuple(heard.output.shape[1:])
    return Stage(part=heard.part, kind=heard.kind, shape=shape, values=_row(heard.output, query), error=heard.error)


def _row(output: Tensor, query: int) -> Numbers:
    """Return the query's row: of [batch, position, width], or of [batch, head, position, head_width]."""
    axis = output.ndim - 2
    place = min(query, output.shape[axis] - 1)
    row: Numbers = output[0].select(axis - 1, place).cpu().numpy().astype(np.float32)
    return row


def _double(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", torch.float64)
