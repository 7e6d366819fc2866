"""What takes from what, in mixers of every kind: shares where there is a softmax, factors or Jacobians elsewhere; and
the gates by which a state lets go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.recomputing import twin, walk_again
from core.errors import CoreError
from core.mixers import Mixer
from core.mixers.delta import Gated
from core.mixers.mixer import jacobian
from core.mixers.recurrent import LSTM
from core.mixers.statespace import StateSpace
from core.tape import Place
from core.tracing import Trace

MOST = 64 * 512  # numbers that enter a mixer, positions times width, up to which a Jacobian is computed


@dataclass(frozen=True, kw_only=True, eq=False)
class Taken:
    """How much each position (row) takes from every other (column) in one layer.

    `cells` [head, row, column] are in the mixer's own terms, and `how` says which: "pattern", "kernel", "matrix" (of
    either sign) or "jacobian" (see `core.mixers.mixer.Influence`). `shares` [row, column] are the mean over the heads,
    each row divided by the sum of its absolute values, so that mixers of every kind stand on one scale.
    """

    cells: Numbers
    shares: Numbers
    how: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Gates:
    """What a state lets through at each position [position, unit]: `kind` is "forget" (how much of the cell is kept),
    "fade" (how much of the matrix is kept) or "step" (how long a step is; a long one forgets)."""

    kind: str
    values: Numbers


def influence(trace: Trace, layer: int, *, same: bool = False) -> Taken:
    """Return who takes from whom in one layer, in its own terms or, for all kinds the `same`, by its Jacobian.

    Raises:
        CoreError: `out_of_range` for the layer, `no_influence` for a part that cannot say, `influence_budget` for a
            Jacobian of more than 32,768 numbers that go in.
    """
    mixer, entering = _mixer(trace, layer)
    if not isinstance(mixer, Mixer):
        raise CoreError("no_influence", name=trace.model.name, came=layer)
    if same or type(mixer).influence is Mixer.influence:
        if entering.shape[1] * entering.shape[2] > MOST:
            raise CoreError("influence_budget", came=entering.shape[1] * entering.shape[2], allowed=MOST)
        return _taken(jacobian(mixer, entering)[None], "jacobian")
    with torch.no_grad():
        found = mixer.influence(entering)
    return _taken(found.cells, found.how)


@torch.no_grad()
def gates(trace: Trace, layer: int) -> Gates | None:
    """Return what a layer's state lets through; None where there is no gate.

    Raises:
        CoreError: `out_of_range` for the layer.
    """
    mixer, entering = _mixer(trace, layer)
    if isinstance(mixer, LSTM):
        return Gates(kind="forget", values=_numbers(mixer.forget_gates(entering)[0]))
    if isinstance(mixer, StateSpace):
        return Gates(kind="step", values=_numbers(mixer.stepped(entering)[0]))
    if isinstance(mixer, Gated) and mixer.fading is not None:
        return Gates(kind="fade", values=_numbers(mixer.fades(entering)[0].exp()))
    return None


@torch.no_grad()
def _mixer(trace: Trace, layer: int) -> tuple[Any, Tensor]:
    """Return the mixer of a layer, and what entered it [1, position, width]: a private twin is run once more."""
    stack = trace.model.sides[0]
    layers = trace.model.side(stack).layers
    if not 0 <= layer < len(layers):
        raise CoreError("out_of_range", what="layer", came=layer, allowed=len(layers) - 1)
    hidden = torch.from_numpy(trace.hidden(layer))[None].to(next(layers[layer].parameters()))
    walk = walk_again(trace, stack)
    part, heard = cast(Any, twin(layers[layer])), []
    part.mixer.register_forward_hook(lambda module, given, output: heard.append(given[0]))  # noqa: ARG005
    part(hidden, walk, Place(stack, layer))
    return layers[layer].mixer, heard[0]


def _taken(cells: Tensor, how: str) -> Taken:
    mean = cells.mean(0)
    total = mean.abs().sum(-1, keepdim=True)
    return Taken(cells=_numbers(cells), shares=_numbers(mean / total.where(total > 0, 1)), how=how)


def _numbers(tensor: Tensor) -> Numbers:
    found: Numbers = tensor.detach().float().cpu().numpy().astype(np.float32)
    return found
