"""Top-k attention: each query keeps its best keys only (Gupta et al. 2021, section 3; Zhao et al. 2019, sec. 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.changes import Change
from core.mixers.attention import SelfAttention
from core.mixers.softmax import Attention, blocks, scores
from core.shapes import Hidden
from core.tape import Place
from core.walk import Walk


@dataclass(frozen=True, kw_only=True)
class Strongest(Change):
    """Keep the `count` largest shares of each row, and let them sum to one again: the softmax over these scores
    alone."""

    count: int

    def on_pattern(self, pattern: Tensor, allowed: Tensor) -> Tensor:
        """Forget the others."""
        best = pattern.topk(min(self.count, pattern.shape[-1]), dim=-1)
        kept = torch.zeros_like(pattern).scatter(-1, best.indices, best.values)
        return self.where_chosen(kept / kept.sum(-1, keepdim=True), pattern)


class BestKeys(SelfAttention):
    """Softmax attention over the `best` keys of each query: sparse by what is said, not by where it stands."""

    def __init__(self, *given: Any, best: int, **rest: Any) -> None:
        super().__init__(*given, **rest)
        self.best = best

    def attention(self, hidden: Hidden, walk: Walk, place: Place) -> Attention:
        """Project as ever, and forget all but the strongest shares."""
        found = super().attention(hidden, walk, place)
        return replace(found, changes=(Strongest(count=self.best), *found.changes))

    def mixed(self, attention: Attention) -> Float[Tensor, "batch head query head_width"]:
        """Add up the values of the best keys alone, so that `best` of them are multiplied and not all.

        Every score must still be known, so the work grows with the square of the length.
        """
        if len(attention.changes) > 1:
            return super().mixed(attention)
        given = replace(attention, changes=())
        values = given.values.repeat_interleave(given.sharing, dim=1)
        return torch.cat([self._block(scores(given, rows), values) for rows in blocks(given)], dim=2)

    def _block(self, found: Tensor, values: Tensor) -> Tensor:
        best = found.topk(min(self.best, found.shape[-1]), dim=-1)
        shares = best.values.softmax(-1).to(values.dtype)
        chosen = values.flatten(0, 1)[
            torch.arange(values.shape[0] * values.shape[1])[:, None, None], best.indices.flatten(0, 1)
        ]
        return (shares[..., None, :] @ chosen.unflatten(0, values.shape[:2]))[..., 0, :]
