"""The keys and values that are kept while a model writes, so that each new piece costs one row and not the whole
square; and the states of mixers that need no more than those."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.shapes import Keys, Values
from core.tape import Place

KeptKeys = Float[Tensor, "batch group kept head_width"]
KeptValues = Float[Tensor, "batch group kept value_width"]


@dataclass
class Cache:
    """Keys (already rotated) and values of every layer, [batch, group, key, width]; `length` positions so far.

    `carried` is what a mixer without keys hands on from one position to the next: its size does not grow.
    """

    length: int = 0
    kept: dict[Place, tuple[KeptKeys, KeptValues]] = field(default_factory=dict)
    carried: dict[Place, Any] = field(default_factory=dict)

    def extend(self, place: Place, keys: Keys, values: Values) -> tuple[KeptKeys, KeptValues]:
        """Append the new positions of one layer and return all that is kept there."""
        if place in self.kept:
            old_keys, old_values = self.kept[place]
            keys, values = torch.cat((old_keys, keys), dim=2), torch.cat((old_values, values), dim=2)
        self.kept[place] = keys, values
        return keys, values
