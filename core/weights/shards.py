"""Weights spread over several safetensors files, with an index that says which tensor is in which."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import Tensor

from core.errors import CoreError
from core.weights.safetensors_file import SafetensorsFile

INDEX = "model.safetensors.index.json"


class Shards:
    """The files that an index names. The index decides: whatever else lies in a file or in the folder is not read.

    Raises:
        CoreError: `index_unreadable`, `shard_missing` or `shard_lacks`, and what a single file raises.
    """

    def __init__(self, folder: Path) -> None:
        self._where = read_index(folder)
        self._files = {name: _open(folder, name) for name in sorted(set(self._where.values()))}
        self._paths = tuple(folder / name for name in self._files)
        held = {name: frozenset(file.names) for name, file in self._files.items()}
        for tensor, name in self._where.items():
            if tensor not in held[name]:
                raise CoreError("shard_lacks", name=tensor, file=name)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files."""
        return self._paths

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tensors."""
        return tuple(self._where)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one tensor."""
        return self._files[self._where[name]].shape(name)

    def kind(self, name: str) -> str:
        """Return how one tensor is stored."""
        return self._files[self._where[name]].kind(name)

    def read(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return one tensor on the CPU."""
        return self._files[self._where[name]].read(name, dtype)


def read_index(folder: Path) -> dict[str, str]:
    """Return which file holds each tensor; files are named without any folder.

    Raises:
        CoreError: `index_unreadable`.
    """
    try:
        where = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise CoreError("index_unreadable", name=INDEX, why=type(error).__name__) from error
    plain = isinstance(where, dict) and all(
        isinstance(file, str) and Path(file).name == file for file in where.values()
    )
    if not plain or not where:
        raise CoreError("index_unreadable", name=INDEX, why="weight_map")
    return where


def _open(folder: Path, name: str) -> SafetensorsFile:
    path = folder / name
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        raise CoreError("shard_missing", name=name)
    return SafetensorsFile(path)
