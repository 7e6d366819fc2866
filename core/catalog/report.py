"""What happened while a model was loaded, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.models.plan import Spec
from core.weights import Filled


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """Everything that a person may ask about a loaded model; `seconds` and `memory_bytes` are of this loading."""

    name: str
    spec: Spec
    parameters: int
    memory_bytes: int
    stored: tuple[tuple[str, int], ...]
    computed: str
    device: str
    tensors_read: int
    ignored: tuple[tuple[str, str], ...]
    checksum: str
    verified: bool
    seconds: float


def kinds(filled: Filled) -> tuple[tuple[str, int], ...]:
    """Return how many tensors were stored in each kind, most first."""
    return tuple(Counter(kind for _, kind in filled.read).most_common())
