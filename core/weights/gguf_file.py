"""Weights from a GGUF file: metadata, and tensors in blocks that share a scale; undone by the `gguf` library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from torch import Tensor

from core.errors import CoreError
from core.weights.gguf_header import read_header

ROWS_AT_ONCE = 4096
FREQUENCIES = "rope_freqs"


class GgufFile:
    """One opened GGUF file; its numbers stay on disk until they are read.

    Raises:
        CoreError: `weights_empty`, `weights_truncated`, `weights_unreadable` or `weights_kind`, naming the file.
    """

    def __init__(self, path: Path) -> None:
        if not path.stat().st_size:
            raise CoreError("weights_empty", name=path.name)
        self._bytes = np.memmap(path, mode="r").view(np.ndarray)
        header = read_header(self._bytes.data, path.name)
        self._metadata, self._tensors = header.metadata, header.tensors
        strange = {place.kind: name for name, place in header.tensors.items() if not undone(place.kind)}
        for kind, name in strange.items():
            allowed = ", ".join(known.name for known in GGMLQuantizationType if undone(known))
            raise CoreError("weights_kind", name=path.name, tensor=name, came=kind.name, allowed=allowed)

    @property
    def metadata(self) -> dict[str, Any]:
        """Return every key of the file's header; the names of its tensors under `tensors`, and under `rope_freqs` the
        table of rotary divisors that some files have as a tensor."""
        found = {**self._metadata, "tensors": frozenset(self._tensors)}
        table = f"{FREQUENCIES}.weight"
        if table in self._tensors:
            found[FREQUENCIES] = self.read(table, torch.float32).flatten().tolist()
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tensors."""
        return tuple(self._tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of one tensor; the file lists the fastest axis first."""
        return self._tensors[name].shape

    def kind(self, name: str) -> str:
        """Return how one tensor is stored."""
        return self._tensors[name].kind.name

    def read(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return one tensor on the CPU, dequantized some rows at a time so that little is held twice."""
        place = self._tensors[name]
        count = int(np.prod(place.shape[:-1], dtype=np.int64))
        blocks = self._bytes[place.start : place.start + place.size].reshape(count, -1)
        found = torch.empty(count, place.shape[-1], dtype=dtype)
        for start in range(0, count, ROWS_AT_ONCE):
            rows = dequantize(blocks[start : start + ROWS_AT_ONCE], place.kind)
            found[start : start + len(rows)] = torch.from_numpy(np.require(rows, requirements="W"))
        return found.reshape(place.shape)


def undone(kind: GGMLQuantizationType) -> bool:
    """Return whether the `gguf` library can undo a kind of block."""
    try:
        dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), dtype=np.uint8), kind)
    except RuntimeError:  # the library's word for a kind that it does not know
        return False
    return True
