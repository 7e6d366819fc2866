"""Convolutions: each position takes a weighted sum of its neighbours, with the same weights everywhere.

How far the last of a stack sees is its receptive field: 1 + the sum over the stack of (kernel - 1) x dilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import conv1d, pad, relu

from core.errors import CoreError
from core.mixers.before import Before
from core.mixers.mixer import Carrying, Mixer, drawn_taps
from core.shapes import Hidden, Keep
from core.tape import Place
from core.walk import Walk

Tail = Float[Tensor, "batch _ width"]
Tails = tuple[Tail, ...]
Seen = Float[Tensor, "batch seen width"]


class LooksBack(Carrying):
    """A stack of convolutions over what came before, each dilated more than the last (van den Oord et al. 2016,
    "WaveNet", section 2.1), with a ReLU and a residual from each to the next.

    While writing, the state is what the next position still needs: the last inputs of each convolution.
    """

    def __init__(self, width: int, *, kernel: int = 4, dilations: tuple[int, ...] = (1,)) -> None:
        super().__init__()
        self.width, self.kernel, self.dilations = width, kernel, dilations
        self.stack = nn.ModuleList(nn.Conv1d(width, width, kernel, dilation=step) for step in dilations)

    def begin(self, source: torch.Generator) -> None:
        """Draw the taps."""
        for part in self.stack:
            drawn_taps(cast(nn.Conv1d, part), source)

    @property
    def field(self) -> int:
        """How many positions the last convolution sees, its own included."""
        return 1 + (self.kernel - 1) * sum(self.dilations)

    def start(self, hidden: Hidden) -> Tails:
        """Begin after zeros."""
        before = [(self.kernel - 1) * step for step in self.dilations]
        return tuple(hidden.new_zeros(len(hidden), count, self.width) for count in before)

    def after(self, hidden: Hidden, state: Tails, keep: Keep | None) -> tuple[Hidden, Tails]:
        """Sum tap by tap."""
        return self._through(hidden, state, keep, tap_by_tap)

    def run(self, hidden: Hidden, state: Tails, keep: Keep | None) -> tuple[Hidden, Tails]:
        """Let the library convolve."""
        return self._through(hidden, state, keep, lambda part, seen: part(seen.mT).mT)

    def _through(
        self, hidden: Hidden, state: Tails, keep: Keep | None, convolved: Callable[[Any, Tensor], Tensor]
    ) -> tuple[Hidden, Tails]:
        left = []
        for number, (part, tail) in enumerate(zip(self.stack, state, strict=True)):
            given = relu(hidden) if number else hidden
            seen = torch.cat((tail, given if keep is None else given * keep[..., None]), dim=1)
            hidden = hidden + convolved(part, seen) if number else convolved(part, seen)
            left.append(seen[:, seen.shape[1] - tail.shape[1] :])
        return hidden, tuple(left)


class Near(Carrying):
    """A few positions back and no more, each channel for itself (Gu and Dao 2023, section 3.4): enough to know the
    token before."""

    def __init__(self, width: int, *, kernel: int = 4) -> None:
        super().__init__()
        self.width = width
        self.near = Before(width, kernel, bias=True)

    def begin(self, source: torch.Generator) -> None:
        """Draw the taps."""
        drawn_taps(self.near, source)

    def start(self, hidden: Hidden) -> Tail:
        """Begin after zeros."""
        return hidden.new_zeros(len(hidden), self.near.kernel_size[0] - 1, self.width)

    def after(self, hidden: Hidden, state: Tail, keep: Keep | None) -> tuple[Hidden, Tail]:
        """Sum tap by tap."""
        count = state.shape[1]
        seen = torch.cat((state, hidden if keep is None else hidden * keep[..., None]), dim=1)
        taps = [seen[:, tap : tap + hidden.shape[1]] * self.near.weight[:, 0, tap] for tap in range(count + 1)]
        mixed: Hidden = sum(taps[1:], taps[0])
        return mixed + cast(Tensor, self.near.bias), seen[:, seen.shape[1] - count :]

    def run(self, hidden: Hidden, state: Tail, keep: Keep | None) -> tuple[Hidden, Tail]:
        """Let the library convolve."""
        return self.near(hidden if keep is None else hidden * keep[..., None], state)


class Around(Mixer):
    """One convolution centred on each position: it sees as far ahead as back (Kalchbrenner and Blunsom 2013; Kim 2014,
    section 2)."""

    causal = False

    def __init__(self, width: int, *, kernel: int = 7) -> None:
        super().__init__()
        self.width, self.kernel = width, kernel
        self.around = nn.Conv1d(width, width, kernel, padding=kernel // 2)

    def begin(self, source: torch.Generator) -> None:
        """Draw the taps."""
        drawn_taps(self.around, source)

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Let the library convolve; what comes later must be there, so it cannot write.

        Raises:
            CoreError: `looks_ahead` with a cache.
        """
        walk.tape.note("attention", place, None)
        if walk.cache is not None:
            raise CoreError("looks_ahead", name=type(self).__name__)
        mixed: Hidden = self.around((hidden if walk.keep is None else hidden * walk.keep[..., None]).mT).mT
        return mixed

    def plain(self, hidden: Hidden) -> Hidden:
        """Sum tap by tap."""
        return tap_by_tap(self.around, pad(hidden, (0, 0, self.kernel // 2, self.kernel // 2)))


class Masked(LooksBack):
    """A centred kernel whose taps on the future are masked away, its own place allowed (van den Oord et al. 2016,
    "Pixel Recurrent Neural Networks", section 3.4, mask B; "Conditional Image Generation", section 2.1).

    `kernel` counts the taps that are left; the other half of the stored kernel never acts.
    """

    def __init__(self, width: int, *, kernel: int = 4) -> None:
        super().__init__(width, kernel=kernel)
        self.stack = nn.ModuleList([nn.Conv1d(width, width, 2 * kernel - 1)])

    def after(self, hidden: Hidden, state: Tails, keep: Keep | None) -> tuple[Hidden, Tails]:
        """Sum over the whole kernel, the future's taps times zero, with zeros standing for the future."""

        def masked(part: nn.Conv1d, seen: Tensor) -> Tensor:
            mask = torch.arange(part.weight.shape[2], device=seen.device) < self.kernel
            return tap_by_tap(part, pad(seen, (0, 0, 0, self.kernel - 1)), part.weight * mask)

        return self._through(hidden, state, keep, masked)

    def run(self, hidden: Hidden, state: Tails, keep: Keep | None) -> tuple[Hidden, Tails]:
        """Convolve with the half of the kernel that acts."""

        def cut(part: nn.Conv1d, seen: Tensor) -> Tensor:
            return conv1d(seen.mT, part.weight[..., : self.kernel], part.bias).mT

        return self._through(hidden, state, keep, cut)


def tap_by_tap(part: nn.Conv1d, seen: Seen, weight: Tensor | None = None) -> Hidden:
    """Return y(t) = b + sum over taps k of W(k) x(t + k dilation) (the convolution as written)."""
    weight, step = part.weight if weight is None else weight, part.dilation[0]
    length = seen.shape[1] - (weight.shape[2] - 1) * step
    taps = [seen[:, tap * step : tap * step + length] @ weight[:, :, tap].T for tap in range(weight.shape[2])]
    mixed: Hidden = sum(taps[1:], taps[0])
    return mixed if part.bias is None else mixed + part.bias
