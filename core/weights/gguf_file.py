"""Weights from a GGUF file: metadata, and tensors in blocks that share a scale; undone by the `gguf` library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, ReaderTensor
from gguf.quants import dequantize
from torch import Tensor

from core.errors import CoreError

ROWS_AT_ONCE = 4096


class Reader(GGUFReader):
    """The library's reader over a plain view of the mapped file; slicing a memmap object 250,000 times takes twice as
    long."""

    @property  # type: ignore[override]
    def data(self) -> np.ndarray:
        """The bytes of the file."""
        return self._view

    @data.setter
    def data(self, mapped: np.memmap) -> None:
        self._view = mapped.view(np.ndarray)


class GgufFile:
    """One opened GGUF file.

    Raises:
        CoreError: `weights_unreadable`, naming the file.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._reader = Reader(path)
        except (ValueError, OSError, IndexError) as error:
            raise CoreError("weights_unreadable", name=path.name, why=str(error)) from error
        self._tensors: dict[str, ReaderTensor] = {tensor.name: tensor for tensor in self._reader.tensors}

    @property
    def metadata(self) -> dict[str, Any]:
        """Return every key of the file's header."""
        return {name: field.contents() for name, field in self._reader.fields.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tensors."""
        return tuple(self._tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one tensor; the file lists the fastest axis first."""
        return tuple(int(size) for size in reversed(self._tensors[name].shape))

    def kind(self, name: str) -> str:
        """Return how one tensor is stored."""
        return str(self._tensors[name].tensor_type.name)

    def read(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return one tensor on the CPU, dequantized some rows at a time so that little is held twice."""
        stored, shape = self._tensors[name], self.shape(name)
        blocks = stored.data.reshape(-1, stored.data.shape[-1])
        found = torch.empty(len(blocks), shape[-1], dtype=dtype)
        for start in range(0, len(blocks), ROWS_AT_ONCE):
            rows = blocks[start : start + ROWS_AT_ONCE]
            found[start : start + len(rows)] = torch.from_numpy(
                np.require(dequantize(rows, stored.tensor_type), requirements="W")
            )
        return found.reshape(shape)
