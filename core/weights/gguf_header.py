"""The header of a GGUF file, read by hand: every length in it is checked against the file before it is believed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from core.errors import CoreError

MAGIC, VERSIONS = b"GGUF", (2, 3)
NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?", 10: "<u8", 11: "<i8", 12: "<f8"}
TEXT, ARRAY = 8, 9
KINDS = frozenset(map(int, GGMLQuantizationType))
MOST_AXES = 4
LEAST_KEY, LEAST_TENSOR = 13, 24  # bytes


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one tensor lies: its shape (slowest axis first), its kind, and its bytes, from the beginning of the
    file."""

    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    start: int
    size: int


@dataclass(frozen=True, kw_only=True)
class Header:
    """Everything before the numbers."""

    metadata: dict[str, Any]
    tensors: dict[str, Place]


class Cursor:
    """Reads one thing after another from the beginning of a file, and nothing that is not there."""

    def __init__(self, data: memoryview, name: str) -> None:
        self.data, self.name, self.at = data, name, 0

    def take(self, count: int) -> memoryview:
        """Return the next bytes.

        Raises:
            CoreError: `weights_truncated`.
        """
        self.need(count)
        self.at += count
        return self.data[self.at - count : self.at]

    def need(self, count: int) -> None:
        """Make sure that so many bytes follow.

        Raises:
            CoreError: `weights_truncated`.
        """
        if count > len(self.data) - self.at:
            raise CoreError("weights_truncated", name=self.name, came=len(self.data), allowed=self.at + count)

    def number(self, form: str = "<Q") -> Any:
        """Return one number."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self) -> str:
        """Return one string.

        Raises:
            CoreError: `weights_unreadable` where it is not UTF-8.
        """
        try:
            return str(self.take(self.number()), "utf-8")
        except UnicodeDecodeError as error:
            raise self.unreadable(str(error)) from error

    def numbers(self, kind: int, count: int) -> list[Any]:
        """Return several numbers of one kind."""
        form = np.dtype(NUMBERS[kind])
        found: list[Any] = np.frombuffer(self.take(count * form.itemsize), form).tolist()
        return found

    def value(self) -> Any:
        """Return a value and what kind it is, as the header says.

        Raises:
            CoreError: `weights_unreadable` for a kind that is not known, or arrays in arrays.
        """
        kind = self.number("<I")
        if kind == TEXT:
            return self.text()
        if kind in NUMBERS:
            return self.numbers(kind, 1)[0]
        if kind != ARRAY:
            raise self.unreadable(f"value {kind}")
        inner, count = self.number("<I"), self.number()
        if inner in NUMBERS:
            return self.numbers(inner, count)
        if inner != TEXT:
            raise self.unreadable(f"array of {inner}")
        self.need(8 * count)
        return [self.text() for _ in range(count)]

    def unreadable(self, why: str) -> CoreError:
        """Return the error that says why the header makes no sense."""
        return CoreError("weights_unreadable", name=self.name, why=why)


def read_header(data: memoryview, name: str) -> Header:
    """Read the header of a file that lies in `data`; nothing larger than what the file holds is ever made.

    Raises:
        CoreError: `weights_truncated` or `weights_unreadable`.
    """
    cursor = Cursor(data, name)
    if bytes(cursor.take(4)) != MAGIC:
        raise cursor.unreadable("GGUF?")
    version = cursor.number("<I")
    if version not in VERSIONS:
        raise cursor.unreadable(f"version {version}")
    tensors, keys = cursor.number(), cursor.number()
    cursor.need(tensors * LEAST_TENSOR + keys * LEAST_KEY)
    metadata = _named(cursor, keys, Cursor.value)
    if metadata.get("split.count", 1) not in (0, 1):
        raise cursor.unreadable(f"split.count = {metadata['split.count']}")
    infos = _named(cursor, tensors, _info)
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise cursor.unreadable(f"general.alignment = {alignment}")
    begin = -(-cursor.at // alignment) * alignment
    return Header(metadata=metadata, tensors={n: _placed(cursor, n, begin, *info) for n, info in infos.items()})


def _named(cursor: Cursor, count: int, read: Callable[[Cursor], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(count):
        name = cursor.text()
        if name in found:
            raise cursor.unreadable(f"2 × {name}")
        found[name] = read(cursor)
    return found


def _info(cursor: Cursor) -> tuple[tuple[int, ...], int, int]:
    axes = cursor.number("<I")
    if not 1 <= axes <= MOST_AXES:
        raise cursor.unreadable(f"{axes} axes")
    return tuple(cursor.number() for _ in range(axes)), cursor.number("<I"), cursor.number()


def _placed(cursor: Cursor, name: str, begin: int, axes: tuple[int, ...], kind: int, offset: int) -> Place:
    if kind not in KINDS:
        raise cursor.unreadable(f"{name}: kind {kind}")
    known = GGMLQuantizationType(kind)
    block, size = GGML_QUANT_SIZES[known]
    if axes[0] % block or not prod(axes):
        raise cursor.unreadable(f"{name}: {axes} {known.name}")
    place = Place(shape=tuple(reversed(axes)), kind=known, start=begin + offset, size=prod(axes) // block * size)
    cursor.at = place.start
    cursor.need(place.size)
    return place
