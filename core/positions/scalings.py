"""Scalings of rotary positions: how the frequencies change so that a model reads texts longer than it was trained on.

Each answers with the frequencies [1 or batch, half] for texts of some lengths; `strength` multiplies cosines and sines,
and `settled` says that a position keeps its angle however long the text grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

Lengths = Int[Tensor, " batch"]
Frequencies = Float[Tensor, "#batch half"]


def waves(base: float | Tensor, width: int, device: torch.device) -> Frequencies:
    """Return base^(2i/width) for every pair i, in float32: one over the frequency; `base` may differ by text (Su et al.
    2021, section 3.2.2)."""
    exponents = torch.arange(0, width, 2, dtype=torch.float32, device=device) / width
    bases = base if isinstance(base, float) else base.reshape(-1, 1)
    return (bases**exponents).reshape(-1, width // 2)


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """No scaling: the frequencies of the paper."""

    settled = True

    @property
    def strength(self) -> float:
        """What cosines and sines are multiplied by."""
        return 1.0

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Return the frequencies for texts of these lengths."""
        return 1 / waves(base, width, lengths.device)


@dataclass(frozen=True, kw_only=True)
class Linear(Scaling):
    """Positions are squeezed: every frequency is divided by the factor (Chen et al. 2023, equation 4)."""

    factor: float

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Divide all frequencies alike."""
        return super().frequencies(base, width, lengths) / self.factor


@dataclass(frozen=True, kw_only=True)
class Divided(Scaling):
    """Every frequency is divided by its own factor, as weights files that carry a table of them want it."""

    factors: tuple[float, ...]

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Divide each frequency by its factor."""
        return super().frequencies(base, width, lengths) / torch.tensor(self.factors, device=lengths.device)


@dataclass(frozen=True, kw_only=True)
class Dynamic(Scaling):
    """The base grows with the text once it is longer than `trained` (Peng et al. 2023, section 3.4, "dynamic NTK").

    The base is multiplied by (factor x length / trained - factor + 1)^(width / (width - 2)).
    """

    factor: float
    trained: int
    settled = False

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Stretch the base of each text by its own length."""
        longer = lengths.clamp(min=self.trained).float()
        growth = self.factor * longer / self.trained - (self.factor - 1)
        return 1 / waves(base * growth ** (width / (width - 2)), width, lengths.device)


@dataclass(frozen=True, kw_only=True)
class ByWavelength(Scaling):
    """Long waves are squeezed by the factor, short ones kept, and those between are blended (Llama 3.1; Grattafiori et
    al. 2024, section 3.2).

    A wave is short under trained/high positions and long over trained/low positions.
    """

    factor: float
    low: float
    high: float
    trained: int

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Blend kept and squeezed frequencies by the length of their waves."""
        kept = super().frequencies(base, width, lengths)
        turns = self.trained / (2 * math.pi / kept)
        share = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - share) * kept / self.factor + share * kept


@dataclass(frozen=True, kw_only=True)
class Yarn(Scaling):
    """Pairs that turn seldom are squeezed, pairs that turn often are kept, along a ramp (Peng et al. 2023, sections
    3.2 and 3.4).

    The ramp runs from the pair that turns `fast` times within `trained` positions to the one that turns `slow` times;
    `whole` rounds both ends outwards.
    """

    factor: float
    trained: int
    fast: float = 32.0
    slow: float = 1.0
    whole: bool = True
    given_strength: float | None = None

    @property
    def strength(self) -> float:
        """What cosines and sines are multiplied by: 0.1 ln(factor) + 1 unless it is given (equation 22)."""
        if self.given_strength is not None:
            return self.given_strength
        return yarn_strength(self.factor)

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Blend kept and squeezed frequencies along the ramp."""
        long = waves(base, width, lengths.device)
        first, last = self._ends(base, width)
        pairs = torch.arange(width // 2, dtype=torch.float32, device=lengths.device)
        kept = 1 - ((pairs - first) / (last - first)).clamp(0, 1)
        return 1 / (self.factor * long) * (1 - kept) + 1 / long * kept

    def _ends(self, base: float, width: int) -> tuple[float, float]:
        first, last = (
            width * math.log(self.trained / (turns * 2 * math.pi)) / (2 * math.log(base))
            for turns in (self.fast, self.slow)
        )
        if self.whole:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(float(first), 0.0), min(float(last), width - 1.0)
        return first, last if last != first else last + 0.001


@dataclass(frozen=True, kw_only=True)
class LongRope(Scaling):
    """Every frequency is divided by its own factor, one of two searched tables: `long` for texts of more than `trained`
    positions, `short` for others (Ding et al. 2024, section 3).

    `strength` is sqrt(1 + ln(factor) / ln(trained)) unless it is given.
    """

    short: tuple[float, ...]
    long: tuple[float, ...]
    factor: float
    trained: int
    given_strength: float | None = None
    settled = False

    @property
    def strength(self) -> float:
        """What cosines and sines are multiplied by."""
        if self.given_strength is not None:
            return self.given_strength
        return math.sqrt(1 + math.log(self.factor) / math.log(self.trained)) if self.factor > 1 else 1.0

    def frequencies(self, base: float, width: int, lengths: Lengths) -> Frequencies:
        """Divide by the table that fits each text's length."""
        short, long = torch.tensor([self.short, self.long], device=lengths.device)
        table = torch.where((lengths > self.trained)[:, None], long, short)
        return 1.0 / (table / super().frequencies(base, width, lengths))


def yarn_strength(factor: float, weight: float = 1.0) -> float:
    """Return 0.1 x weight x ln(factor) + 1, and 1 where nothing is stretched (Peng et al. 2023, equation 22)."""
    return 0.1 * weight * math.log(factor) + 1.0 if factor > 1 else 1.0
