"""What flows up and what comes back: what each part of a layer adds to the stream, and the gradient at every layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.recomputing import Heard, listening, stack_of, twin, walk_again
from core.blocks.untrained import drawn
from core.changes import Change
from core.errors import CoreError
from core.tape import Place
from core.tracing import Trace

PARTS = ("mixer", "cross", "feed_forward")
#: Where a norm comes after the part, what it gives is what is added.
ADDED = {
    "InnerNorm": {"mixer_norm": "mixer", "feed_norm": "feed_forward"},
    "Sandwich": {"mixer_after": "mixer", "feed_after": "feed_forward"},
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Added:
    """How much one part adds in every layer [layer, position]: the root mean square of its output over that of what
    entered the layer. Layers without that part have no number (nan)."""

    part: str
    sizes: Numbers


@torch.no_grad()
def sublayers(trace: Trace, side: str | None = None, changes: tuple[Change, ...] = ()) -> tuple[Added, ...]:
    """Return what mixing, looking at the source and feeding forward add to the stream, for those parts that a side has.

    Raises:
        CoreError: `unknown_side`.
    """
    stack, states = _stack(trace, side)
    walk = walk_again(trace, stack, changes)
    found = np.full((len(PARTS), len(states) - 1, states[0].shape[1]), np.nan, np.float32)
    for number, layer in enumerate(trace.model.side(stack).layers):
        with listening(twin(layer)) as (part, heard):
            part(states[number], walk, Place(stack, number))
        for name, output in _outputs(heard, type(layer).__name__).items():
            found[PARTS.index(name), number] = _sizes(output) / np.maximum(_sizes(states[number]), 1e-30)
    return tuple(
        Added(part=part, sizes=sizes) for part, sizes in zip(PARTS, found, strict=True) if not np.isnan(sizes).all()
    )


@torch.enable_grad()
def gradients(trace: Trace, side: str | None = None, changes: tuple[Change, ...] = ()) -> Numbers:
    """Return the size of the gradient at the stream, where it enters layer 0 and after every layer [state, position].

    What is differentiated is the final state along one random direction (seed 0), the sum of both multiplied. Going
    back, each layer is run once more from the state that the trace kept, so that never more than one is held; numbers
    that leave the range of the trace's type are infinite.

    Raises:
        CoreError: `unknown_side`.
    """
    stack, states = _stack(trace, side)
    model, last = trace.model.side(stack), _leaf(states[-1])
    final = model.final(last)
    (back,) = torch.autograd.grad((final * drawn(*final.shape, seed=0).to(final)).sum(), last)
    found = [back]
    for number in reversed(range(len(states) - 1)):
        entering, walk = _leaf(states[number]), walk_again(trace, stack, changes)
        left = model.layers[number](entering, walk, Place(stack, number))
        (back,) = torch.autograd.grad((left * back).sum(), entering)
        found.append(back)
    return np.nan_to_num(np.stack([_sizes(one) for one in reversed(found)]), nan=np.inf)


def _outputs(heard: list[Heard], wiring: str) -> dict[str, Tensor]:
    names = {"cross": "cross"} | ADDED.get(wiring, {"mixer": "mixer", "feed_forward": "feed_forward"})
    return {names[one.part]: one.output for one in heard if one.part in names}


def _stack(trace: Trace, side: str | None) -> tuple[str, tuple[Tensor, ...]]:
    stack = stack_of(side or trace.model.sides[-1])
    if stack not in trace.hiddens:
        raise CoreError("unknown_side", came=stack, allowed=", ".join(trace.hiddens))
    return stack, trace.hiddens[stack]


def _leaf(state: Tensor) -> Tensor:
    return state.detach().clone().requires_grad_()


def _sizes(tensor: Tensor) -> Numbers:
    found: Numbers = tensor[0].detach().double().pow(2).mean(-1).sqrt().cpu().numpy().astype(np.float32)
    return found
