"""Linear recurrences over a state, as the papers write them, and the form in chunks beside the one that pays for it.

A state forgets by its decay at every position and takes in what is written; what is read of it is the output:
h(t) = decay(t) h(t-1) + step(t) B(t) x(t),  y(t) = C(t) h(t).  All of it is computed in float32 or wider.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor

BLOCK, CHUNK = 32, 64

Channels = Float[Tensor, "batch position channel"]
Written = Float[Tensor, "batch position state"]
ChannelState = Float[Tensor, "batch channel state"]
States = Float[Tensor, "batch position channel state"]
HeadValues = Float[Tensor, "batch position head head_width"]
HeadSteps = Float[Tensor, "batch position head"]
HeadWritten = Float[Tensor, "batch position head state"]
HeadState = Float[Tensor, "batch head head_width state"]


def selective(
    values: Channels,
    steps: Channels,
    decay: Float[Tensor, "channel state"],
    write: Written,
    read: Written,
    state: ChannelState,
) -> tuple[Channels, ChannelState]:
    """Return y and the last state: every channel has a state and a decay of its own, exp(step A) (Gu and Dao 2023,
    equation 2 and algorithm 2)."""
    outputs = []
    for place in range(values.shape[1]):
        step = steps[:, place, :, None]
        taken = step * values[:, place, :, None] * write[:, place, None, :]
        state = torch.exp(step * decay) * state + taken
        outputs.append((state * read[:, place, None, :]).sum(-1))
    return torch.stack(outputs, dim=1), state


def selective_in_blocks(
    values: Channels,
    steps: Channels,
    decay: Float[Tensor, "channel state"],
    write: Written,
    read: Written,
    state: ChannelState,
) -> tuple[Channels, ChannelState]:
    """Return the same as `selective`: decays, writing and reading of a block are computed at once, and from position to
    position only one multiplication with an addition is left; on a GPU not even that (`scanned`)."""
    outputs, passed = [], scanned if values.is_cuda else stepped
    for some in _blocks(values.shape[1], BLOCK):
        kept = torch.exp(steps[:, some, :, None] * decay)
        taken = (steps[:, some] * values[:, some])[..., None] * write[:, some, None, :]
        states = passed(kept, taken, state)
        state = states[:, -1]
        outputs.append((states @ read[:, some, :, None])[..., 0])
    return torch.cat(outputs, dim=1), state


def stepped(kept: States, taken: States, state: ChannelState) -> States:
    """Return h(t) = kept(t) h(t-1) + taken(t) for every position of a block, one after another."""
    states = []
    for place in range(kept.shape[1]):
        state = torch.addcmul(taken[:, place], kept[:, place], state)
        states.append(state)
    return torch.stack(states, dim=1)


def scanned(kept: States, taken: States, state: ChannelState) -> States:
    """Return the same as `stepped` in log2(positions) sweeps: two neighbouring steps (a, b), (a', b') are one step
    (a' a, a' b + b'), whatever they are two of (Gu and Dao 2023, section 3.3.2; Blelloch 1990, section 1.4)."""
    apart, length = 1, kept.shape[1]
    while apart < length:
        joined = torch.addcmul(taken[:, apart:], kept[:, apart:], taken[:, :-apart])
        taken = torch.cat((taken[:, :apart], joined), dim=1)
        kept = torch.cat((kept[:, :apart], kept[:, apart:] * kept[:, :-apart]), dim=1)
        apart *= 2
    return torch.addcmul(taken, kept, state[:, None])


def scalar(
    values: HeadValues,
    steps: HeadSteps,
    decay: Float[Tensor, " head"],
    write: HeadWritten,
    read: HeadWritten,
    state: HeadState,
) -> tuple[HeadValues, HeadState]:
    """Return y and the last state: all of a head's state decays by one number, exp(step a) (Dao and Gu 2024, section
    5.1)."""
    kept, taken, outputs = torch.exp(steps * decay), steps[..., None] * values, []
    for place in range(values.shape[1]):
        state = kept[:, place, :, None, None] * state + taken[:, place, ..., None] * write[:, place, :, None]
        outputs.append(state @ read[:, place, ..., None])
    return torch.stack([output[..., 0] for output in outputs], dim=1), state


def in_chunks(
    values: HeadValues,
    steps: HeadSteps,
    decay: Float[Tensor, " head"],
    write: HeadWritten,
    read: HeadWritten,
    state: HeadState,
) -> tuple[HeadValues, HeadState]:
    """Return the same as `scalar`, by products of matrices within chunks and one state from chunk to chunk (Dao and Gu
    2024, section 6)."""
    taken, write, read = (part.transpose(1, 2) for part in (steps[..., None] * values, write, read))
    forgetting, outputs = (steps.double() * decay).mT, []
    for some in _blocks(values.shape[1], CHUNK):
        gone = forgetting[..., some].cumsum(-1)
        inside = _between(gone, read[:, :, some], write[:, :, some]) @ taken[:, :, some]
        before = gone.exp().to(state.dtype)[..., None] * (read[:, :, some] @ state.mT)
        outputs.append(inside + before)
        left = (gone[..., -1:] - gone).exp().to(state.dtype)[..., None] * taken[:, :, some]
        state = gone[..., -1:].exp().to(state.dtype)[..., None] * state + left.mT @ write[:, :, some]
    return torch.cat(outputs, dim=2).transpose(1, 2), state


def _between(gone: Tensor, read: Tensor, write: Tensor) -> Float[Tensor, "batch head position position"]:
    """Return how much of what each position of a chunk writes the later ones read: (L o C B^T) of section 5.1."""
    return between(gone).to(read.dtype) * (read @ write.mT)


def fading(exponents: Float[Tensor, "batch head position"]) -> Float[Tensor, "batch head query key"]:
    """Return what is left at each position (query) of what was written at each earlier one (key), when every step
    multiplies by exp(exponent)."""
    return between(exponents.cumsum(-1))


def between(gone: Float[Tensor, "batch head position"]) -> Float[Tensor, "batch head query key"]:
    """Return exp(gone(query) - gone(key)) for each position and those before it; 0 ahead."""
    apart = gone[..., :, None] - gone[..., None, :]
    ahead = torch.ones(apart.shape[-2:], dtype=torch.bool, device=gone.device).triu(1)
    return apart.masked_fill(ahead, -torch.inf).exp()


def _blocks(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
