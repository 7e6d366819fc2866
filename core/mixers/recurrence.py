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
    for some in _blocks(values.shape[1], BLOCK):
        kept = torch.exp(steps[:, some, :, None] * decay)
        taken = (steps[:, some] * values[:, some])[..., None] * write[:, some, None, :]
        for place in range(kept.shape[1]):
            state = kept[:, place] * state + taken[:, place]
            outputs.append(state @ read[:, some.start + place, :, None])
    return torch.cat(outputs, dim=2).mT, state


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
        fading = forgetting[..., some].cumsum(-1)
        inside = _between(fading, read[:, :, some], write[:, :, some]) @ taken[:, :, some]
        before = fading.exp().to(state.dtype)[..., None] * (read[:, :, some] @ state.mT)
        outputs.append(inside + before)
        left = (fading[..., -1:] - fading).exp().to(state.dtype)[..., None] * taken[:, :, some]
        state = fading[..., -1:].exp().to(state.dtype)[..., None] * state + left.mT @ write[:, :, some]
    return torch.cat(outputs, dim=2).transpose(1, 2), state


def _between(fading: Tensor, read: Tensor, write: Tensor) -> Float[Tensor, "batch head position position"]:
    """Return how much of what each position of a chunk writes the later ones read: (L o C B^T) of section 5.1."""
    apart = fading[..., :, None] - fading[..., None, :]
    ahead = torch.ones(apart.shape[-2:], dtype=torch.bool, device=apart.device).triu(1)
    return apart.masked_fill(ahead, -torch.inf).exp().to(read.dtype) * (read @ write.mT)


def _blocks(count: int, size: int) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
