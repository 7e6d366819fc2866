"""How wrong a model is: cross entropy against labels that are smoothed a little (Szegedy et al. 2016, section 7)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

Logits = Float[Tensor, "batch position piece"]
Wanted = Int[Tensor, "batch position"]


def smoothed(logits: Logits, wanted: Wanted, smoothing: float, padding: int) -> Float[Tensor, ""]:
    """Return the mean loss in nats per real piece; `padding` pieces count for nothing.

    The right piece is wanted with 1 - smoothing, and the rest is shared out evenly among all pieces.
    """
    return cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=padding, label_smoothing=smoothing, reduction="mean"
    )


def plain(logits: Logits, wanted: Wanted, smoothing: float, padding: int) -> Float[Tensor, ""]:
    """Return the same as it is written down, -sum of wanted share x log of given share."""
    pieces = logits.shape[-1]
    shares = torch.full_like(logits, smoothing / pieces)
    shares.scatter_add_(-1, wanted[..., None], torch.full_like(shares[..., :1], 1 - smoothing))
    losses = -(shares * logits.log_softmax(-1)).sum(-1)
    return losses[wanted != padding].mean()


def floor(smoothing: float, pieces: int) -> float:
    """Return the loss of a model that knows exactly what is wanted, in nats: nobody gets below it."""
    if not smoothing:
        return 0.0
    right, other = 1 - smoothing + smoothing / pieces, smoothing / pieces
    return -right * math.log(right) - (pieces - 1) * other * math.log(other)
