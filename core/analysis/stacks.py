"""Signal and gradient by depth in fresh, untrained stacks: what the residual stream and the norms are for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn

from core.blocks import FeedForward, LayerNorm, PostNorm, PreNorm
from core.blocks.feed_forward import activation
from core.blocks.layers import Layer
from core.blocks.untrained import drawn
from core.changes import Change, NoNorm, NoResidual
from core.masks import Everyone
from core.mixers import Heads, SelfAttention
from core.tape import Place
from core.walk import Walk

WIDTH, INNER, LENGTH = 64, 256, 16
HEADS = Heads(count=4, groups=4, head_width=16, scale=0.25)
WIRINGS: dict[str, tuple[type[Layer], tuple[Change, ...]]] = {
    "post-norm": (PostNorm, ()),
    "pre-norm": (PreNorm, ()),
    "no-norm": (PreNorm, (NoNorm(),)),
    "no-residual": (PostNorm, (NoResidual(),)),
    "neither": (PreNorm, (NoNorm(), NoResidual())),
}


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Root mean square of the stream after each layer, and of the gradient that reaches it from the last one.

    The gradient is that of the last state along one random direction, infinite where it leaves the range of float64.
    Both start with what enters layer 0; where the stream itself leaves the range, the stack ends.
    """

    wiring: str
    signal: tuple[float, ...]
    gradient: tuple[float, ...]


@cache
def sizes(wiring: str, depth: int = 128, *, seed: int = 0) -> Sizes:
    """Send one random text through a fresh stack, and its gradient back, in float64."""
    kind, changes = WIRINGS[wiring]
    states = [drawn(1, LENGTH, WIDTH, seed=seed).double().requires_grad_()]
    for number in range(depth):
        layer = fresh(kind, seed=seed + 1 + number)
        walk = Walk(positions=torch.arange(LENGTH)[None], changes=changes)
        left = layer(states[-1], walk, Place("encoder", number))
        if not left.isfinite().all():
            break
        states.append(left)
    direction = drawn(1, LENGTH, WIDTH, seed=seed - 1).double()
    gradients = torch.autograd.grad((states[-1] * direction).sum(), states)
    return Sizes(wiring=wiring, signal=_sizes(states), gradient=_sizes(gradients))


def fresh(kind: type[Layer], *, seed: int) -> Layer:
    """Return an untrained layer in float64: weights of variance 1/width, biases zero, norms with gain one."""
    mixer = SelfAttention(WIDTH, HEADS, rule=Everyone())
    feed_forward = FeedForward(WIDTH, INNER, act=activation("relu"))
    norms = [LayerNorm(WIDTH, epsilon=1e-5) for _ in range(2)]
    layer = kind(mixer=mixer, mixer_norm=norms[0], feed_forward=feed_forward, feed_norm=norms[1])
    for number, (name, parameter) in enumerate(layer.named_parameters()):
        nn.init.constant_(parameter, 1.0 if name.endswith("norm.weight") else 0.0)
        if parameter.ndim == 2:
            spread = parameter.shape[1] ** -0.5
            parameter.data = drawn(*parameter.shape, seed=1000 * seed + number, spread=spread)
    return layer.double().requires_grad_(False)


def _sizes(tensors: Sequence[Tensor]) -> tuple[float, ...]:
    found = (float(tensor.detach().pow(2).mean().sqrt()) for tensor in tensors)
    return tuple(size if math.isfinite(size) else math.inf for size in found)
