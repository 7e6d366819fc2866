"""Weights from a safetensors file: a length, a JSON header, and plain numbers; nothing in it can run."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.errors import CoreError

POINTER = b"version https://git-lfs"
MOST_HEADER = 100_000_000  # bytes, as the library has it
LONGEST = 500  # letters of a tensor's name


class SafetensorsFile:
    """One opened safetensors file.

    Raises:
        CoreError: `weights_empty`, `weights_pointer`, `weights_truncated` or `weights_unreadable`, naming the file.
    """

    def __init__(self, path: Path) -> None:
        check_header(path)
        try:
            self._file = safe_open(path, framework="pt")
        except SafetensorError as error:
            raise CoreError("weights_unreadable", name=path.name, why=str(error)) from error

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tensors."""
        return tuple(self._file.keys())

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one tensor."""
        return tuple(self._file.get_slice(name).get_shape())

    def kind(self, name: str) -> str:
        """Return how one tensor is stored."""
        return str(self._file.get_slice(name).get_dtype())

    def read(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return one tensor on the CPU."""
        tensor: Tensor = self._file.get_tensor(name)
        return tensor.to(dtype)


def check_header(path: Path) -> None:
    """Look at the first bytes before anything is allocated.

    Raises:
        CoreError: `weights_empty`, `weights_pointer`, `weights_truncated`, or `weights_unreadable` for names that come
            twice or are endless.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        beginning = file.read(len(POINTER))
    if not size:
        raise CoreError("weights_empty", name=path.name)
    if beginning == POINTER:
        raise CoreError("weights_pointer", name=path.name)
    header = int.from_bytes(beginning[:8], "little")
    if size < 8 or header > size - 8:
        raise CoreError("weights_truncated", name=path.name, came=size, allowed=header + 8)
    needed = 8 + header + _last(path, header)
    if size < needed:
        raise CoreError("weights_truncated", name=path.name, came=size, allowed=needed)


def _last(path: Path, header: int) -> int:
    """Return where the last tensor ends, counted from the end of the header; 0 where the header says nothing clear."""
    if header > MOST_HEADER:
        return 0
    with path.open("rb") as file:
        file.seek(8)
        content = file.read(header)
    try:
        said = json.loads(content, object_pairs_hook=partial(_once, path.name))
        return max((int(entry["data_offsets"][1]) for name, entry in said.items() if name != "__metadata__"), default=0)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return 0


def _once(file: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return what a JSON object of a header says, if every name in it comes once and has an end."""
    found = dict(pairs)
    strange = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1 or len(name) > LONGEST]
    if strange:
        raise CoreError("weights_unreadable", name=file, why=f"{len(pairs) - len(found) + 1} × {strange[0][:80]}")
    return found
