"""Eight mixers in models of one size: what is not spent on the mixer goes into the feed-forward parts."""

from __future__ import annotations

from typing import Any

from core.models.mixing import untrained
from core.training.recall.tasks import PIECES

WIDTH, SIZE = 64, 120_000
CONTESTANTS: dict[str, tuple[str, str]] = {
    "full": ("full", "full"),
    "window": ("window", "window"),
    "linear": ("linear", "linear"),
    "gated_delta": ("gated_delta", "gated_delta"),
    "mamba2": ("mamba2", "mamba2"),
    "lstm": ("lstm", "lstm"),
    "dilated": ("dilated", "dilated"),
    "hybrid": ("gated_delta", "full"),
}


def config(name: str) -> dict[str, Any]:
    """Return the config of a contestant: first a look at the neighbours, then two layers of its mixer."""
    told = {"model_type": "mixing", "width": WIDTH, "pieces": PIECES, "mixers": ["near", *CONTESTANTS[name]]}
    least = {**told, "inner": [1, 1, 1]}
    _, network = untrained(least, seed=0)
    left = SIZE - sum(one.numel() for one in network.parameters())
    return {**told, "inner": [1 + left // (3 * (2 * WIDTH + 1))] * 3}
