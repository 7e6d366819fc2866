"""Choosing the next piece: the likeliest, or one drawn from what a few filters leave of the distribution.

The filters go in the order of the published libraries: temperature, top-k, top-p, min-p, each on what the one before
it left, made to sum to one again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.errors import CoreError

Ids = Int[Tensor, " candidate"]
Shares = Float[Tensor, " candidate"]
UNIT = ("top_p", "min_p")


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """How the next piece is chosen; as it stands, the likeliest (greedy).

    `temperature` divides the logits (Ackley et al. 1985, equation 5; 0: the likeliest), `top_k` keeps so many of the
    likeliest (Fan et al. 2018, section 5.4; 0: off), `top_p` the fewest that have this much probability together
    (Holtzman et al. 2020, section 3.1; 0: only the best, 1: off), `min_p` those with at least this share of the best
    one's probability (Nguyen et al. 2024, section 3; 0: off). The same `seed` at the same position draws alike.

    Raises:
        CoreError: `choosing` for a value outside its range.
    """

    temperature: float | int = 0.0
    top_k: int = 0
    top_p: float | int = 1.0
    min_p: float | int = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("temperature", "top_k", "seed"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise CoreError("choosing", name=name, came=getattr(self, name), allowed="0 …")
        for name in UNIT:
            if not 0 <= getattr(self, name) <= 1:
                raise CoreError("choosing", name=name, came=getattr(self, name), allowed="0 … 1")

    @property
    def greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature == 0


GREEDY = Choosing()


class Chosen(NamedTuple):
    """A piece, and the probability that it had when it was drawn (1 where nothing is drawn)."""

    ident: int
    chance: float


def choose(logits: Float[Tensor, " piece"], choosing: Choosing, position: int) -> Chosen:
    """Return the piece to write at a position, from logits that are -inf where a piece may not be written."""
    if choosing.greedy:
        return Chosen(int(logits.float().cpu().numpy().argmax()), 1.0)
    ids, shares = candidates(logits, choosing)
    place = np.random.default_rng((choosing.seed, position)).random()
    below = shares.double().cumsum(0)
    index = min(int((below <= place * below[-1]).sum()), len(ids) - 1)
    return Chosen(int(ids[index]), float(shares[index]))


def candidates(logits: Float[Tensor, " piece"], choosing: Choosing) -> tuple[Ids, Shares]:
    """Return the pieces that the filters leave, likeliest first, and their probabilities, which sum to one.

    The best logit is subtracted before the division, so that no temperature makes a number overflow.
    """
    exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
    scores, ids = _best(exact, choosing.top_k)
    shares = torch.softmax((scores - scores[0]).double() / max(choosing.temperature, 1e-300), dim=-1)
    shares = _kept(shares, shares.cumsum(0) - shares < choosing.top_p) if choosing.top_p < 1 else shares
    shares = _kept(shares, shares >= choosing.min_p * shares[0]) if choosing.min_p else shares
    found = shares[shares > 0]
    return ids[: len(found)], found.float()


def _best(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the largest logits and their ids, all of them where there is no count; equal ones in the order of ids."""
    ordered = logits.sort(descending=True, stable=True)
    kept = min(count, len(logits)) if count else len(logits)
    return ordered.values[:kept], ordered.indices[:kept]


def _kept(shares: Tensor, keep: Tensor) -> Tensor:
    """Return the shares of those that stay, at least of the best one, summing to one."""
    keep = keep.clone()
    keep[0] = True
    left = shares * keep
    return left / left.sum()
