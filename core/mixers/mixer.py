"""What every mixer promises, and what those have in common whose memory of the past is a state of fixed size."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.shapes import Hidden, Keep
from core.tape import Place
from core.walk import Walk

COPIED = 8192  # positions in all copies together
State = Any
Cells = Float[Tensor, "head query key"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Influence:
    """How much each position (query) takes from every other (key) in a mixer, and how that was obtained.

    `how` is "pattern" (softmax shares), "kernel" (shares of a normalised kernel), "matrix" (the factors, of either
    sign, by which values are added up) or "jacobian" (the Frobenius norm of d output(query) / d input(key)).
    """

    cells: Cells
    how: str

    @property
    def signed(self) -> bool:
        """Whether cells may be below zero."""
        return self.how == "matrix"


class Mixer(nn.Module):
    """A part through which positions exchange information: the same three calls for every kind.

    `forward` takes a whole sequence, or, with a cache in the walk, what is new after what was there; `plain` is the
    formula as its paper writes it; `influence` says what takes from what. `causal` promises that nothing looks ahead.
    """

    causal: bool = True
    width: int

    @abstractmethod
    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix the positions, the fast way."""

    @abstractmethod
    def plain(self, hidden: Hidden) -> Hidden:
        """Mix one whole sequence without padding, the way the paper says it."""

    def begin(self, source: torch.Generator) -> None:
        """Draw those parameters that do not begin as matrices and biases usually do; unless a mixer says so, none."""

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return who takes from whom in one sequence: unless a mixer knows better, the size of its Jacobian."""
        return Influence(cells=jacobian(self, hidden)[None], how="jacobian")


class Carrying(Mixer):
    """A mixer whose memory of the past is a state: the same size after ten positions and after ten thousand."""

    how: ClassVar[str] = "jacobian"

    def forward(self, hidden: Hidden, walk: Walk, place: Place) -> Hidden:
        """Mix the positions and leave the state in the cache; padding writes nothing into it."""
        walk.tape.note("attention", place, None)
        state = None if walk.cache is None else walk.cache.carried.get(place)
        mixed, state = self.run(hidden, self.start(hidden) if state is None else state, walk.keep)
        if walk.cache is not None:
            walk.cache.carried[place] = state
        return mixed

    def plain(self, hidden: Hidden) -> Hidden:
        """Mix one position after another."""
        return self.after(hidden, self.start(hidden), None)[0]

    @abstractmethod
    def start(self, hidden: Hidden) -> State:
        """Return the state before the first position."""

    @abstractmethod
    def after(self, hidden: Hidden, state: State, keep: Keep | None) -> tuple[Hidden, State]:
        """Return what each position reads and the last state, one position after another."""

    @abstractmethod
    def run(self, hidden: Hidden, state: State, keep: Keep | None) -> tuple[Hidden, State]:
        """Return the same as `after`, fast."""


def jacobian(mixer: Mixer, hidden: Float[Tensor, "1 position width"]) -> Float[Tensor, "query key"]:
    """Return the Frobenius norm of d output(query) / d input(key), exactly: one backward pass per query, over a copy of
    the sentence for each output number."""
    copies = max(1, COPIED // hidden.shape[1])
    numbers = torch.arange(hidden.shape[2]).split(copies)
    return torch.stack([_squares(mixer, hidden, some) for some in numbers]).sum(dim=0).sqrt()


def drawn_taps(part: nn.Conv1d, source: torch.Generator) -> None:
    """Draw a convolution evenly from where its sums keep their size: within 1/sqrt(numbers that each sum adds up)."""
    bound = part.weight[0].numel() ** -0.5
    nn.init.uniform_(part.weight, -bound, bound, generator=source)
    if part.bias is not None:
        nn.init.zeros_(part.bias)


def _squares(mixer: Mixer, hidden: Tensor, numbers: Tensor) -> Float[Tensor, "query key"]:
    """Return the sums of squares of the gradients of some of the numbers that come out; each has its own copy of what
    goes in, so that the gradient of their sum is all of theirs."""
    with torch.enable_grad():
        given = hidden.detach().repeat(len(numbers), 1, 1).requires_grad_()
        own = mixer.plain(given)[torch.arange(len(numbers)), :, numbers]
        found = [torch.autograd.grad(one, given, retain_graph=True)[0] for one in own.sum(dim=0)]
    return torch.stack([one.square().sum(dim=(0, 2)) for one in found])
