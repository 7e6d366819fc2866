"""The two doors of attention through which positions enter."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from core.shapes import Ids, Indices


@runtime_checkable
class AtHeads(Hashable, Protocol):
    """A scheme that turns queries and keys by their position; hashable, since its angles are shared by a whole walk.

    `settled` says that a position keeps its angle however long the text grows; else nothing can be kept while writing.
    """

    @property
    def settled(self) -> bool:
        """Whether what was computed for a shorter text stays right."""

    def angles(self, positions: Ids) -> Any:
        """Return what `turn` needs for these positions."""

    def turn(self, heads: Float[Tensor, "batch head position head_width"], angles: Any) -> Tensor:
        """Return queries or keys turned by their positions."""


@runtime_checkable
class Bias(Protocol):
    """Something added to the scores; answers for any rows and columns, and is never a length x length array."""

    def at(self, rows: Indices, columns: Indices) -> Float[Tensor, "#batch #head query key"]:
        """Return the bias of any queries (rows) on any keys (columns), both as places in the key sequence."""

    def of(self, sentence: int, keep: Tensor) -> Bias:
        """Return the bias of one sentence of a batch after cropping it to the places in `keep`."""


@runtime_checkable
class AtScores(Protocol):
    """A part that makes a layer's bias from its queries and keys (many schemes look at neither)."""

    def __call__(self, queries: Tensor, keys: Tensor, positions: Ids) -> Bias:
        """Return the bias of one layer for one walk."""
