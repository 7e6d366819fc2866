"""What looking around and remembering cost, by formulas that add up: operations, bytes, and what a chip makes of them.

No clocks and no tensors: every number follows from the shape of a part and the length of the text, or from what is
published of a chip.
"""

from core.cost import between
from core.cost.chips import Chip, chips
from core.cost.keeping import (
    Keys,
    Latent,
    Layer,
    Source,
    State,
    cache_bytes,
    cache_per_token,
    cache_read,
    cells,
    keys_and_values,
    looking,
    multiplying,
)
from core.cost.parts import KINDS as PARTS
from core.cost.parts import Part, Rows, needed, plain, two_products
from core.cost.published import KINDS, Published, published
from core.cost.stages import Load, Stage, cards, enough, held, longest, reading, writing
from core.cost.work import Work

__all__ = [
    "KINDS",
    "PARTS",
    "Chip",
    "Keys",
    "Latent",
    "Layer",
    "Load",
    "Part",
    "Published",
    "Rows",
    "Source",
    "Stage",
    "State",
    "Work",
    "between",
    "cache_bytes",
    "cache_per_token",
    "cache_read",
    "cards",
    "cells",
    "chips",
    "enough",
    "held",
    "keys_and_values",
    "longest",
    "looking",
    "multiplying",
    "needed",
    "plain",
    "published",
    "reading",
    "two_products",
    "writing",
]
