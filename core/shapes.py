"""The axes, spelled once: every tensor in the core has one of these shapes.

batch     sentences computed together
position  places in a sequence (pieces, patches, frames); source: those of the sequence that a decoder reads
query     positions that look; key: positions that are looked at
head      attention heads; group: key/value heads, each shared by head / group query heads
width     numbers per position (d_model); head_width: numbers per head (d_k); value_width: those of its values (d_v)

The annotations are checked at run time in the tests only.
"""

from __future__ import annotations

from jaxtyping import Bool, Float, Int
from torch import Tensor

Ids = Int[Tensor, "batch position"]
Keep = Bool[Tensor, "batch position"]
KeepRows = Bool[Tensor, "batch query"]
Hidden = Float[Tensor, "batch position width"]
Source = Float[Tensor, "batch source width"]
Queries = Float[Tensor, "batch head query head_width"]
Keys = Float[Tensor, "batch group key head_width"]
Values = Float[Tensor, "batch group key value_width"]
Scores = Float[Tensor, "batch head query key"]
Pattern = Float[Tensor, "batch head query key"]
Indices = Int[Tensor, " _"]

__all__ = ["Hidden", "Ids", "Indices", "Keep", "KeepRows", "Keys", "Pattern", "Queries", "Scores", "Source", "Values"]
