"""How large a step is: small at first, while the numbers are still random, and smaller again towards the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Rate = Callable[[int], float]
SMALLEST = 1e-6


@dataclass(frozen=True, kw_only=True)
class InverseRoot:
    """width^-0.5 min(step^-0.5, step warm_up^-1.5) (Vaswani et al. 2017, equation 3)."""

    width: int
    warm_up: int = 4000

    def __call__(self, step: int) -> float:
        """Return the rate of a step, counted from 1."""
        return float(self.width**-0.5 * min(step**-0.5, step * self.warm_up**-1.5))


@dataclass(frozen=True, kw_only=True)
class Cosine:
    """Straight up to `peak`, then down along half a cosine (Loshchilov and Hutter 2017, equation 5)."""

    peak: float
    warm_up: int
    steps: int

    def __call__(self, step: int) -> float:
        """Return the rate of a step, counted from 1."""
        done = max(0, step - self.warm_up) / max(1, self.steps - self.warm_up)
        falling = 0.5 + 0.5 * math.cos(math.pi * min(1.0, done))
        return self.peak * min(step / self.warm_up, 1.0) * falling + SMALLEST


@dataclass(frozen=True, kw_only=True)
class Twentieth:
    """Straight up to `peak` while half a cosine already falls, over all steps, to a twentieth of it."""

    peak: float
    warm_up: int
    steps: int

    def __call__(self, step: int) -> float:
        """Return the rate of a step, counted from 1."""
        falling = 0.05 + 0.95 * (1 + math.cos(math.pi * (step - 1) / self.steps)) / 2
        return self.peak * min(1.0, step / self.warm_up) * falling


def schedule(name: str, *, width: int, peak: float, warm_up: int, steps: int) -> Rate:
    """Return a schedule by name: "paper" or "cosine"."""
    made: dict[str, Rate] = {
        "paper": InverseRoot(width=width, warm_up=warm_up),
        "cosine": Cosine(peak=peak, warm_up=warm_up, steps=steps),
    }
    return made[name]
