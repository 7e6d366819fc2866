"""A Sample: what goes into a model, one position at a time, and how each position is shown to people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError

SIDES = ("left", "right")
Span = tuple[int, int]
Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something the reader did to the text that a person should know: a message key and its values."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """One sequence.

    Every tuple has one entry per position. `pieces` are the vocabulary's own strings, `labels` are readable and never
    blank; `spans` index the original text of the position's part (0: text, 1: pair), None where a position covers
    none; `words` and `characters` number the word and the character(s) that a position belongs to, None for positions
    that stand alone; `kinds` is one of word, continuation, special, unknown, byte, padding (silence after a sound).
    `target` is the decoder's own sequence in encoder-decoders; `signal` is an image [channel, row, column] or mel
    frames [bin, frame], whose positions have no ids; `grid` are the rows and columns of patches of an image, which are
    its last positions.
    """

    ids: Ids
    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    spans: tuple[Span | None, ...]
    words: tuple[int | None, ...]
    characters: tuple[int | None, ...]
    kinds: tuple[str, ...]
    parts: tuple[int, ...]
    notes: tuple[Note, ...] = ()
    text: str = ""
    pair: str | None = None
    target: Sample | None = None
    signal: NDArray[np.float32] | None = None
    grid: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def given(self) -> str:
        """The kind of input: text, image or sound."""
        return "text" if self.signal is None else "image" if self.signal.ndim == 3 else "sound"

    def folded(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return one number per position (a row of a map) as they lie in the picture [row, column]; what stands for the
        whole picture is left out.

        Raises:
            CoreError: `no_picture` for a sample that is none.
        """
        if self.grid is None:
            raise CoreError("no_picture")
        rows, columns = self.grid
        return numbers[len(self) - rows * columns :].reshape(rows, columns)

    def surface(self, position: int) -> str:
        """Return the stretch of the original text that a position covers."""
        span = self.spans[position]
        text = self.pair if self.parts[position] else self.text
        return "" if span is None or text is None else text[slice(*span)]

    @staticmethod
    def from_ids(ids: Sequence[int] | Ids, *, types: Sequence[int] | None = None) -> Sample:
        """Make a sample from bare ids [position]; `types` says which sentence each belongs to."""
        array = np.asarray(ids, dtype=np.int64)
        count, names = len(array), tuple(str(number) for number in array)
        return Sample(
            ids=array,
            pieces=names,
            labels=names,
            spans=(None,) * count,
            words=(None,) * count,
            characters=(None,) * count,
            kinds=("word",) * count,
            parts=tuple(types) if types is not None else (0,) * count,
        )

    @staticmethod
    def batch(samples: Sequence[Sample], *, padding: str = "right") -> Batch:
        """Put samples side by side, padded on one side ("left" or "right") to the longest.

        Raises:
            CoreError: `unknown_choice` for another side.
        """
        if padding not in SIDES:
            raise CoreError("unknown_choice", came=padding, allowed=", ".join(SIDES))
        return Batch(samples=tuple(samples), padding=padding)


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Several samples that are computed together."""

    samples: tuple[Sample, ...]
    padding: str = "right"

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def signal(self) -> NDArray[np.float32] | None:
        """Images or mel frames of all samples [batch, ...], None for text."""
        signals = [sample.signal for sample in self.samples if sample.signal is not None]
        return np.stack(signals) if signals else None

    @property
    def targets(self) -> Batch | None:
        """The decoder's sequences, None where there are none."""
        targets = tuple(sample.target for sample in self.samples if sample.target is not None)
        return Batch(samples=targets, padding=self.padding) if targets else None

    def arrays(self) -> tuple[Ids, Ids, NDArray[np.bool_]]:
        """Return ids, types and keep (False where padded), each [batch, position]."""
        longest = max(len(sample) for sample in self.samples)
        ids, types = (np.zeros((len(self), longest), dtype=np.int64) for _ in range(2))
        keep = np.zeros((len(self), longest), dtype=bool)
        for row, sample in enumerate(self.samples):
            place = slice(longest - len(sample), None) if self.padding == "left" else slice(len(sample))
            ids[row, place], types[row, place], keep[row, place] = sample.ids, sample.parts, True
        return ids, types, keep
