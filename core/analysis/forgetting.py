"""How far back a gradient reaches, and how many steps lie between two positions, in mixers of every kind.

A gradient that has faded on its way back cannot teach what was said so long ago (Bengio et al. 1994; Hochreiter et al.
2001). The shorter the path, the less there is to fade (Vaswani et al. 2017, section 4 and table 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from core.blocks.untrained import drawn
from core.errors import CoreError
from core.mixers import MIXERS, Mixer, SelfAttention, mixer
from core.mixers.convolution import LooksBack, Near
from core.mixers.mixer import Carrying, jacobian
from core.mixers.statespace import StateSpace
from core.tape import Place
from core.walk import Walk, walk_over

WIDTH, LENGTH, SEEDS, DEEPEST, FURTHEST = 32, 64, 4, 8, 256
CAUSAL = tuple(kind.name for kind in MIXERS if kind.name not in {"around", "everyone"})


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The size of the gradient of the last position's output with respect to each input, by distance: `sizes[d]` for
    the input d positions back, the mean over fresh stacks (seeds 0 to 3), divided by that at distance 0."""

    name: str
    depth: int
    sizes: tuple[float, ...]


@cache
def reach(name: str, depth: int = 1) -> Reach:
    """Return how far back the gradient of `depth` fresh mixers (at most 8) reaches, one on the other with nothing
    between, over 64 positions; in float64.

    Raises:
        CoreError: `config_value` for an unknown mixer.
    """
    found = torch.stack([_sizes(name, depth, seed) for seed in range(SEEDS)]).mean(0).flip(0)
    return Reach(name=name, depth=depth, sizes=tuple((found / found[0].clamp(min=1e-300)).tolist()))


@cache
def path(name: str, distance: int) -> int | None:
    """Return through how much a word goes before it arrives `distance` positions later (Vaswani et al. 2017, table 1).

    Where a state is handed on, as many steps as positions; elsewhere as many layers as it takes, one where a position
    may look straight there. None where 64 layers do not reach.

    Raises:
        CoreError: `config_value` for an unknown mixer, `out_of_range` for a distance above 255.
    """
    part = fresh(name, seed=0)
    if not 0 <= distance < FURTHEST:
        raise CoreError("out_of_range", what="distance", came=distance, allowed=FURTHEST - 1)
    if isinstance(part, StateSpace | Carrying) and not isinstance(part, LooksBack | Near):
        return max(distance, 1)
    direct, reached = _support(part, distance + 1), torch.eye(distance + 1, dtype=torch.bool)
    for layers in range(1, 65):
        reached = (direct.float() @ reached.float()) > 0
        if reached[-1, 0]:
            return layers
    return None


def _support(part: Mixer, length: int) -> Tensor:
    """Return bool [query, key]: what one layer may take from where; for attention what its rule allows, elsewhere where
    the Jacobian is not zero."""
    if isinstance(part, SelfAttention):
        places = torch.arange(length)
        return part.rule.at(places, places)[0]
    return jacobian(part, drawn(1, length, WIDTH, seed=0).double()) > 0


def _sizes(name: str, depth: int, seed: int) -> Tensor:
    given = drawn(1, LENGTH, WIDTH, seed=seed).double().requires_grad_()
    hidden: Tensor = given
    for number in range(min(depth, DEEPEST)):
        hidden = fresh(name, seed=seed * DEEPEST + number)(hidden, _walk(), Place("decoder", number))
    direction = drawn(WIDTH, seed=seed + 99).double()
    (back,) = torch.autograd.grad((hidden[0, -1] * direction).sum(), given)
    return back[0].square().sum(-1).sqrt()


def fresh(name: str, *, seed: int) -> Mixer:
    """Return an untrained mixer in float64: matrices as Glorot draws them, and what the mixer itself begins with."""
    part, source = mixer(name, WIDTH), torch.Generator().manual_seed(seed)
    for leaf, parameter in part.named_parameters():
        if parameter.ndim == 2:
            torch.nn.init.xavier_uniform_(parameter, generator=source)
        else:
            torch.nn.init.constant_(parameter, 0.0 if "bias" in leaf else 1.0)
    part.begin(source)
    return part.double()


def _walk() -> Walk:
    return walk_over(torch.ones(1, LENGTH, dtype=torch.bool))
