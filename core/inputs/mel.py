"""Log-mel frames: how loud a sound is in bands that widen as hearing does, a hundred times a second (Radford et al.
2023, section 2.2; the bands are Slaney's, Auditory Toolbox 1998)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

HIGHEST, QUIETEST, RANGE = 8000.0, 1e-10, 8.0


@dataclass(frozen=True, kw_only=True)
class LogMel:
    """`bins` bands of each of `frames` windows of `window` samples, `hop` samples apart; `rate` in samples a second."""

    bins: int
    frames: int
    rate: int = 16_000
    window: int = 400
    hop: int = 160

    @property
    def samples(self) -> int:
        """How many samples the frames span."""
        return self.frames * self.hop

    @property
    def seconds(self) -> float:
        """How long that is."""
        return self.samples / self.rate

    def of(self, sound: Float[np.ndarray, " sample"]) -> Float[np.ndarray, "bin frame"]:
        """Return the frames of a sound (samples -1 .. 1), followed by silence: float32, about -1 .. 1.

        Each is log10 of its energy, at most 8 below the loudest of all.
        """
        padded = np.pad(sound.astype(np.float64), (0, self.samples - len(sound)))
        around = np.pad(padded, self.window // 2, mode="reflect")
        stretches = np.lib.stride_tricks.sliding_window_view(around, self.window)[:: self.hop][: self.frames]
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(self.window) / self.window)
        energy = np.abs(np.fft.rfft(stretches * hann)) ** 2
        loud = np.log10(np.maximum(energy @ self.bands(), QUIETEST))
        return np.ascontiguousarray(((np.maximum(loud, loud.max() - RANGE) + 4) / 4).T, dtype=np.float32)

    def bands(self) -> Float[np.ndarray, "frequency bin"]:
        """Return how much each frequency counts in each band: triangles that overlap by half, each of area one."""
        frequencies = np.linspace(0, self.rate // 2, self.window // 2 + 1)
        edges = hertz(np.linspace(0, mel(np.array(HIGHEST)), self.bins + 2))
        low, middle, high = edges[:-2], edges[1:-1], edges[2:]
        rising = (frequencies[:, None] - low) / (middle - low)
        falling = (high - frequencies[:, None]) / (high - middle)
        return np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)


def mel(hertz: Numbers) -> Numbers:
    """Return the pitch of a frequency: linear up to 1000 Hz, logarithmic beyond."""
    return np.where(hertz < 1000, hertz * 3 / 200, 15 + np.log(np.maximum(hertz, 1000) / 1000) * 27 / np.log(6.4))


def hertz(pitch: Numbers) -> Numbers:
    """Return the frequency of a pitch."""
    return np.where(pitch < 15, pitch * 200 / 3, 1000 * np.exp((pitch - 15) * np.log(6.4) / 27))
