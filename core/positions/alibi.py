"""ALiBi: attention with linear biases; what lies further back is worth less, by a slope that each head has of its own
(Press et al. 2022, section 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from core.shapes import Ids, Indices


def slopes(heads: int) -> Float[Tensor, " head"]:
    """Return the slope of every head in float32: 2^(-8/heads), its square, its cube ...

    Where the heads are no power of two, the rest take every other slope of twice as many heads (the authors' code).
    """
    whole = 2 ** int(math.log2(heads))
    first = 2.0 ** (-8 / whole * torch.arange(1, whole + 1, dtype=torch.float32))
    between = 2.0 ** (-4 / whole * (2 * torch.arange(heads - whole, dtype=torch.float32) + 1))
    return torch.cat((first, between))


@dataclass(frozen=True, kw_only=True, eq=False)
class AlibiBias:
    """slope x (key position - query position); `coarse` rounds slope x key position to bfloat16, as the model was
    trained."""

    slopes: Float[Tensor, " head"]
    positions: Ids
    scale: float = 1.0
    coarse: bool = False

    def at(self, rows: Indices, columns: Indices) -> Float[Tensor, "batch head query key"]:
        """Return the bias of queries (rows) on keys (columns); the query's own part is the same for a whole row."""
        if self.coarse:
            products = self.slopes[:, None].bfloat16() * self.positions[:, None, columns].bfloat16()
            return self.scale * products.float()[:, :, None]
        distance = self.positions[:, None, columns] - self.positions[:, rows, None]
        return self.scale * self.slopes[:, None, None] * distance[:, None]

    def of(self, sentence: int, keep: Tensor) -> AlibiBias:
        """Return the bias of one sentence of a batch after cropping it to the places in `keep`."""
        return AlibiBias(
            slopes=self.slopes,
            positions=self.positions[sentence : sentence + 1, keep],
            scale=self.scale,
            coarse=self.coarse,
        )


@dataclass(frozen=True, kw_only=True)
class Alibi:
    """Nothing is learned; enters at the scores. `scale` multiplies the bias where a family scales it like the
    scores."""

    heads: int
    scale: float = 1.0
    coarse: bool = False

    def __call__(self, queries: Tensor, keys: Tensor, positions: Ids) -> AlibiBias:
        """Return the bias of one layer; keys that were kept from earlier stand right before the first new position."""
        earlier = torch.arange(positions.shape[1] - keys.shape[2], 0, device=positions.device)
        whole = torch.cat((positions[:, :1] + earlier, positions), dim=1)
        steep = slopes(self.heads).to(queries.device)
        return AlibiBias(slopes=steep, positions=whole, scale=self.scale, coarse=self.coarse)
