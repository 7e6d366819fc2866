"""The residual stream by depth: how large it is, how much each layer turns it, and what it would say if read early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.analysis.maps import Numbers
from core.blocks import LanguageHead
from core.errors import CoreError
from core.tracing import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class Stream:
    """The stream of one side, hidden(0) .. hidden(layers).

    `sizes` [state, position] are root mean squares; `added` [layer, position] the size of what each layer changed
    over the size of what it left; `cosines` [layer, position] between what entered a layer and what left it.
    """

    sizes: Numbers
    added: Numbers
    cosines: Numbers


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A piece that an output head would say, with its probability over the whole vocabulary."""

    ident: int
    label: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """Pieces whose logits a head's output pushes up, and down, most first; `push` is the change of the logit.

    `straight`: by the rows of the output head alone, which is one product.
    """

    up: tuple[tuple[int, str, float], ...]
    down: tuple[tuple[int, str, float], ...]
    straight: bool


@torch.no_grad()
def stream(trace: Trace, side: str | None = None) -> Stream:
    """Return the residual stream of a side, measured.

    Raises:
        CoreError: `unknown_side` for a side that has no stream of its own.
    """
    side = side or trace.model.sides[-1]
    if side not in trace.hiddens:
        raise CoreError("unknown_side", came=side, allowed=", ".join(trace.hiddens))
    states = torch.stack([state[0].double() for state in trace.hiddens[side]])
    before, after = states[:-1], states[1:]
    size = states.pow(2).mean(-1).sqrt()
    changed = (after - before).pow(2).mean(-1).sqrt() / size[1:].clamp(min=1e-30)
    cosines = torch.nn.functional.cosine_similarity(before, after, dim=-1)
    return Stream(sizes=_float(size), added=_float(changed), cosines=_float(cosines))


@torch.no_grad()
def lens(trace: Trace, position: int, best: int = 5) -> tuple[tuple[Guess, ...], ...]:
    """Return what the output head would say after each layer at one position (nostalgebraist 2020, "logit lens").

    Probabilities are over the whole vocabulary, not over the pieces shown.

    Raises:
        CoreError: `no_output` for a model without an output head over its pieces; `out_of_range`.
    """
    model, side = trace.model, trace.model.sides[-1]
    _speaks(trace)
    states = trace.hiddens[side]
    if not 0 <= position < states[0].shape[1]:
        raise CoreError("out_of_range", what="query", came=position, allowed=states[0].shape[1] - 1)
    final = model.side(side).final
    rows = torch.cat([state[:, position : position + 1] for state in states[1:]], dim=1)
    logits = model.logits(final(rows))
    chances = torch.softmax(logits[0].float(), dim=-1) if logits is not None else torch.zeros(0)
    top = chances.topk(best, dim=-1)
    return tuple(
        tuple(
            Guess(ident=int(ident), label=_label(trace, int(ident)), probability=float(chance))
            for ident, chance in zip(idents, found, strict=True)
        )
        for idents, found in zip(top.indices, top.values, strict=True)
    )


@torch.no_grad()
def pushes(trace: Trace, written: Numbers, position: int, best: int = 8) -> Pushed:
    """Return the pieces that what a head writes [width] at a position pushes up and down.

    Where the output head is one product, they follow from its rows alone; the norm before it is left out, since it
    depends on everything else that was written (Elhage et al. 2021). Other output heads are asked twice, with and
    without it.

    Raises:
        CoreError: `no_output`.
    """
    output = _speaks(trace)
    pushed = torch.from_numpy(written).to(output.pieces.weight)
    straight = isinstance(output, LanguageHead) and output.pieces.weight.shape[1] == len(written)
    change = output.pieces.weight @ pushed * output.scale if straight else _difference(trace, pushed, position)
    found = change.float().cpu()
    up, down = found.topk(best), (-found).topk(best)
    return Pushed(
        up=tuple((int(i), _label(trace, int(i)), float(v)) for i, v in zip(up.indices, up.values, strict=True)),
        down=tuple((int(i), _label(trace, int(i)), -float(v)) for i, v in zip(down.indices, down.values, strict=True)),
        straight=straight,
    )


def _difference(trace: Trace, pushed: Tensor, position: int) -> Tensor:
    """Return the logits of the last state less those of the same state without what a head wrote."""
    side = trace.model.sides[-1]
    state = trace.hiddens[side][-1][:, position : position + 1]
    both = trace.model.side(side).final(torch.cat([state, state - pushed], dim=1))
    logits = trace.model.logits(both)
    return torch.zeros(0) if logits is None else logits[0, 0] - logits[0, 1]


def _speaks(trace: Trace) -> Any:
    """Return the output head over the pieces of the vocabulary."""
    output = trace.model.network.output
    if getattr(output, "pieces", None) is None:
        raise CoreError("no_output", name=trace.model.name)
    return output


def _label(trace: Trace, ident: int) -> str:
    label: str = trace.model.reader.of_ids([ident]).labels[0]
    return label


def _float(tensor: Tensor) -> Numbers:
    found: Numbers = tensor.cpu().numpy().astype(np.float32)
    return found
