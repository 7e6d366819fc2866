"""What can be trained by name: the two translators that come along, and short runs with one part taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.changes import Change, NoPositions, NoResidual, Scale
from core.errors import CoreError

SIZES: Mapping[str, int] = {
    "encoder_layers": 3,
    "decoder_layers": 1,
    "d_model": 128,
    "d_ff": 256,
    "heads": 4,
    "d_k": 32,
    "d_v": 32,
}
SNAPSHOTS = (0, 100, 200, 300, 400, 500, 600, 700, 800, 1000, 2000, 3500)
SHORT = 800


@dataclass(frozen=True, kw_only=True)
class Nudge:
    """What a guided training is rewarded for besides: that one head of the encoder looks from a pronoun to its noun.

    -strength x log(share of the noun in the pronoun's row), in every step before `until`, and never after.
    """

    strength: float = 0.1
    layer: int = 1
    head: int = 0
    until: int = 1000


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is trained: its sizes, what is left out of it, and how large the steps are.

    `pieces` are those of the target in one batch, `pairs` how many distinct sentences there are to learn from.
    """

    sizes: Mapping[str, int] = field(default_factory=lambda: SIZES)
    changes: tuple[Change, ...] = ()
    nudge: Nudge | None = None
    steps: int = 3500
    snapshots: tuple[int, ...] = SNAPSHOTS
    schedule: str = "cosine"
    peak: float = 1e-3
    warm_up: int = 400
    dropout: float = 0.1
    smoothing: float = 0.1
    pieces: int = 1500
    pairs: int = 120_000


SHORTER = Recipe(steps=SHORT, snapshots=(0, 100, 300, 500, SHORT))

RECIPES: dict[str, Recipe] = {
    "translator": Recipe(),
    "translator-guided": Recipe(nudge=Nudge()),
    "short": SHORTER,
    "no-residual": replace(SHORTER, changes=(NoResidual(),)),
    "no-scale": replace(SHORTER, changes=(Scale(value=1.0),)),
    "no-positions": replace(SHORTER, changes=(NoPositions(),)),
    "one-head": replace(SHORTER, sizes={**SIZES, "heads": 1, "d_k": 128, "d_v": 128}),
}


def recipe(name: str) -> Recipe:
    """Return what can be trained under a name.

    Raises:
        CoreError: `unknown_choice`.
    """
    if name not in RECIPES:
        raise CoreError("unknown_choice", came=name, allowed=", ".join(RECIPES))
    return RECIPES[name]
