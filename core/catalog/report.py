"""What happened while a model was loaded, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.models.plan import Spec
from core.weights import Filled, checksum


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """Everything that a person may ask about a loaded model; `seconds` and `memory_bytes` are of this loading.

    `verified` says that the checksum of the weights was compared with a published one; `pictures` are the numbers of a
    second encoder in the same file, which takes pictures.
    """

    name: str
    spec: Spec
    parameters: int
    memory_bytes: int
    stored: tuple[tuple[str, int], ...]
    computed: str
    device: str
    tensors_read: int
    ignored: tuple[tuple[str, str], ...]
    files: tuple[Path, ...]
    verified: bool
    seconds: float
    pictures: Spec | None = None

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of the weights (of their checksums, where there are several files), computed when asked for."""
        return checksum(*self.files)


def kinds(filled: Filled) -> tuple[tuple[str, int], ...]:
    """Return how many tensors were stored in each kind, most first."""
    return tuple(Counter(kind for _, kind in filled.read).most_common())
