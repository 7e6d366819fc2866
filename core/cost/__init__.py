"""What looking around and remembering cost, by formulas that add up: operations, bytes, and what a chip makes of them.

No clocks and no tensors: every number follows from the shape of a part and the length of the text, or from what is
published of a chip.
"""

from core.cost.keeping import (
    Keys,
    Latent,
    Layer,
    Source,
    State,
    cache_bytes,
    cache_per_token,
    cells,
    keys_and_values,
    looking,
    multiplying,
)
from core.cost.parts import Part, Rows, needed, overtaking, plain, two_products
from core.cost.work import Work

__all__ = [
    "Keys",
    "Latent",
    "Layer",
    "Part",
    "Rows",
    "Source",
    "State",
    "Work",
    "cache_bytes",
    "cache_per_token",
    "cells",
    "keys_and_values",
    "looking",
    "multiplying",
    "needed",
    "overtaking",
    "plain",
    "two_products",
]
