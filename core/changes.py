"""What if? Frozen values that say what to alter in a run: in which layers and heads, and how.

A changed layer takes the plain path, the others stay fused; an empty tuple of changes alters nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.tape import Place


@dataclass(frozen=True, kw_only=True)
class Change:
    """Which part of a model a change concerns; None means all.

    `on_softmax` says that it alters a softmax, so that the layers it touches take the plain path.
    """

    on_softmax: ClassVar[bool] = True

    side: str | None = None
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None

    def touches(self, place: Place) -> bool:
        """Say whether the change concerns this layer."""
        return self.side in (None, place.side) and (self.layers is None or place.layer in self.layers)

    def on_attention(self, attention: Any) -> Any:
        """Alter what the softmax is given."""
        return attention

    def set_aside(self, attention: Any) -> Any:
        """Return what the softmax is given without this change, which alters nothing there: so it stays on the fast
        path, and every bit is that of the untouched run."""
        return replace(attention, changes=tuple(other for other in attention.changes if other is not self))

    def on_scores(self, scores: Tensor) -> Tensor:
        """Alter the scores [batch, head, query, key] before the mask."""
        return scores

    def on_pattern(self, pattern: Tensor, allowed: Tensor) -> Tensor:
        """Alter the pattern [batch, head, query, key]; `allowed` is the rule's answer."""
        return pattern

    def on_rows(self, pattern: Tensor, allowed: Tensor, rows: Tensor) -> Tensor:
        """Alter the pattern of some queries; `rows` are their positions [query]."""
        return self.on_pattern(pattern, allowed)

    def where_chosen(self, changed: Tensor, original: Tensor) -> Tensor:
        """Take the changed values in the chosen heads and the original ones elsewhere."""
        if self.heads is None:
            return changed
        chosen = torch.zeros(original.shape[1], dtype=torch.bool, device=original.device)
        chosen[list(self.heads)] = True
        return torch.where(chosen[None, :, None, None], changed, original)


@dataclass(frozen=True, kw_only=True)
class Plain(Change):
    """Alter nothing, and take the plain path: what the fused one is compared with."""


@dataclass(frozen=True, kw_only=True)
class Temperature(Change):
    """Divide the scores by `value`: below 1 sharpens a row, above 1 flattens it."""

    value: float

    def on_attention(self, attention: Any) -> Any:
        """Stand aside where it would divide by one."""
        return self.set_aside(attention) if self.value == 1 else attention

    def on_scores(self, scores: Tensor) -> Tensor:
        """Divide."""
        return self.where_chosen(scores / self.value, scores)


@dataclass(frozen=True, kw_only=True)
class Scale(Change):
    """Use `value` in place of 1/sqrt(head width) (Vaswani et al. 2017, equation 1)."""

    value: float

    def on_attention(self, attention: Any) -> Any:
        """Replace the scale of the whole layer; stand aside where it is the same.

        1/sqrt(64) and 64**-0.5 may differ in the last of 53 bits, and say the same.
        """
        if isclose(self.value, attention.scale, rel_tol=1e-15):
            return self.set_aside(attention)
        return replace(attention, scale=self.value)


@dataclass(frozen=True, kw_only=True)
class NoMask(Change):
    """Let everybody look at everybody, the future included."""

    def on_attention(self, attention: Any) -> Any:
        """Forget the rule."""
        return replace(attention, rule=attention.rule.open())


@dataclass(frozen=True, kw_only=True)
class Uniform(Change):
    """Share each row equally among the keys that it may look at."""

    def on_pattern(self, pattern: Tensor, allowed: Tensor) -> Tensor:
        """Replace the chosen heads' rows by their mean."""
        even = allowed.to(pattern.dtype) / allowed.sum(-1, keepdim=True)
        return self.where_chosen(even.expand_as(pattern), pattern)


@dataclass(frozen=True, kw_only=True)
class Drop(Change):
    """Silence heads: their pattern becomes zero, so that they add nothing."""

    def on_pattern(self, pattern: Tensor, allowed: Tensor) -> Tensor:
        """Put zeros in the chosen heads."""
        return self.where_chosen(torch.zeros_like(pattern), pattern)


@dataclass(frozen=True, kw_only=True)
class SetRow(Change):
    """Give the query at position `row` these `shares` of its attention [key], whatever its scores say.

    Keys beyond the last share, and those that the rule forbids, get none; nothing is divided to sum to one again.
    """

    row: int
    shares: tuple[float, ...]

    def on_rows(self, pattern: Tensor, allowed: Tensor, rows: Tensor) -> Tensor:
        """Replace the row in the chosen heads, where it is among these."""
        given = pattern.new_zeros(pattern.shape[-1])
        kept = self.shares[: len(given)]
        given[: len(kept)] = pattern.new_tensor(kept)
        here = (rows == self.row)[:, None] & torch.ones_like(allowed)
        changed = torch.where(here, given * allowed, pattern)
        return self.where_chosen(changed, pattern)


@dataclass(frozen=True, kw_only=True)
class NoPositions(Change):
    """Take away whatever tells a model where a piece stands: rows at the input, turned heads, biases on the scores.

    It concerns the whole model; a causal rule still says what came before what.
    """

    on_softmax = False


@dataclass(frozen=True, kw_only=True)
class NoResidual(Change):
    """Let each part's output replace the stream, not add to it (He et al. 2016, section 3.1, turned back)."""

    on_softmax = False


@dataclass(frozen=True, kw_only=True)
class NoNorm(Change):
    """Leave out the norms of the layers; the one after the last layer stays."""

    on_softmax = False


@dataclass(frozen=True, kw_only=True)
class OneHead(Change):
    """Give every head the mean of all heads' patterns: what one head alone could do."""

    def on_pattern(self, pattern: Tensor, allowed: Tensor) -> Tensor:
        """Average over the heads."""
        return self.where_chosen(pattern.mean(1, keepdim=True).expand_as(pattern), pattern)
