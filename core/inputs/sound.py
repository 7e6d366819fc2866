"""Sound in: samples, or a WAV file, become mel frames whose positions are called by their time."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError
from core.inputs.mel import LogMel
from core.inputs.sample import Note, Sample
from core.inputs.text import TextReader

Samples = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class SoundReader:
    """Reads sound for a model that writes what it hears; `places` is how many positions its encoder makes of it."""

    text: TextReader
    mel: LogMel
    places: int
    takes: tuple[str, ...] = ("sound",)

    @property
    def specials(self) -> frozenset[int]:
        """The ids of pieces that stand for no text."""
        return self.text.specials

    def read(self, sound: Any, pair: object = None) -> Sample:
        """Return the sample of a sound: an array of samples at the model's rate, or a WAV file (its path or bytes).

        Positions beyond the end of the sound are padding: the model was trained on stretches of one length.

        Raises:
            CoreError: `pair_not_taken`, `sound_unreadable`, `sound_rate` or `sound_too_long`.
        """
        if pair is not None:
            raise CoreError("pair_not_taken")
        samples = loudness(sound, self.mel.rate)
        if len(samples) > self.mel.samples:
            came = len(samples) / self.mel.rate
            raise CoreError("sound_too_long", came=f"{came:.2f}", allowed=f"{self.mel.seconds:g}")
        return self._sample(len(samples) / self.mel.samples, self.mel.of(samples))

    def of_ids(self, ids: Sequence[int]) -> Sample:
        """Return the sample of pieces that a model wrote."""
        return self.text.of_ids(ids)

    def spelled(self, ids: Sequence[int]) -> tuple[str, str]:
        """Return the label of the last of some pieces, and the text of all."""
        return self.text.spelled(ids)

    def written(self, text: str) -> Sample:
        """Return the sample of a text that a model is to have written."""
        return self.text.written(text)

    def _sample(self, filled: float, frames: Samples) -> Sample:
        heard = int(np.ceil(filled * self.places))
        step = self.mel.seconds / self.places
        labels = tuple(f"{place * step:.2f}s" for place in range(self.places))
        nowhere = (None,) * self.places
        seconds = f"{filled * self.mel.seconds:.2f}"
        return Sample(
            ids=np.zeros(self.places, dtype=np.int64),
            pieces=labels,
            labels=labels,
            spans=nowhere,
            words=nowhere,
            characters=nowhere,
            kinds=("word",) * heard + ("padding",) * (self.places - heard),
            parts=(0,) * self.places,
            notes=(Note(key="silence", values={"seconds": seconds, "whole": f"{self.mel.seconds:g}"}),),
            signal=frames,
        )


def loudness(sound: Any, rate: int) -> Samples:
    """Return samples between -1 and 1, the mean of all channels [sample].

    Raises:
        CoreError: `sound_unreadable` or `sound_rate`.
    """
    array = from_wav(sound, rate) if isinstance(sound, bytes | str | Path) else np.asarray(sound)
    if array.ndim == 2:
        array = array.astype(np.float64).mean(axis=1) / _full(array)
    if array.ndim != 1 or array.dtype.kind not in "if" or not len(array):
        raise CoreError("sound_unreadable", why=f"{array.dtype} {array.shape}")
    if not np.isfinite(array).all():
        raise CoreError("sound_unreadable", why="NaN, ∞")
    return (array / _full(array)).astype(np.float32)


def from_wav(file: bytes | str | Path, rate: int) -> NDArray[np.int32]:
    """Return the samples of a WAV file as signed numbers of 32 bits [sample, channel].

    Raises:
        CoreError: `sound_unreadable`, or `sound_rate` for one that was recorded at another rate.
    """
    try:
        with wave.open(io.BytesIO(file) if isinstance(file, bytes) else str(file), "rb") as opened:
            channels, width, came = opened.getnchannels(), opened.getsampwidth(), opened.getframerate()
            data = opened.readframes(opened.getnframes())
    except (wave.Error, EOFError, OSError) as error:
        raise CoreError("sound_unreadable", why=str(error)[:200]) from error
    if came != rate:
        raise CoreError("sound_rate", came=came, allowed=rate)
    whole = data[: len(data) // (width * channels) * width * channels]
    raw = np.frombuffer(whole, dtype=np.uint8).reshape(-1, width)
    wide = np.zeros((len(raw), 4), dtype=np.uint8)
    wide[:, 4 - width :] = raw ^ (0x80 if width == 1 else 0)
    return wide.view("<i4").astype(np.int32).reshape(-1, channels)


def _full(array: NDArray[Any]) -> float:
    """Return what full loudness is in an array's own numbers."""
    return float(-int(np.iinfo(array.dtype).min)) if array.dtype.kind == "i" else 1.0
