"""Recurrent mixers: one vector is handed on from position to position, and rewritten at each.

The parameters lie in PyTorch's own modules, whose fused kernels are the fast form; the formulas stand beside them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from core.mixers.mixer import Carrying
from core.shapes import Hidden, Keep

PIECE = 1024
Row = Float[Tensor, "batch width"]
Vectors = tuple[Row, ...]


class Recurrent(Carrying):
    """What the three have in common: `vectors` are handed on, the first of which is what a position reads."""

    module: ClassVar[type[Any]]
    vectors: ClassVar[int] = 1
    cell: Any

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.cell = self.module(width, width, batch_first=True)

    def start(self, hidden: Hidden) -> Vectors:
        """Begin with nothing."""
        return tuple(hidden.new_zeros(len(hidden), self.width) for _ in range(self.vectors))

    def begin(self, source: torch.Generator) -> None:
        """Begin without biases."""
        nn.init.zeros_(self.cell.bias_ih_l0)
        nn.init.zeros_(self.cell.bias_hh_l0)

    @abstractmethod
    def step(self, given: Row, state: Vectors) -> Vectors:
        """Return the state after one position."""

    def after(self, hidden: Hidden, state: Vectors, keep: Keep | None) -> tuple[Hidden, Vectors]:
        """Step through the positions; a place that is padding leaves the state as it was."""
        read = []
        for place in range(hidden.shape[1]):
            new = self.step(hidden[:, place], state)
            if keep is not None:
                new = tuple(
                    torch.where(keep[:, place, None], one, other) for one, other in zip(new, state, strict=True)
                )
            state = new
            read.append(state[0])
        return torch.stack(read, dim=1), state

    def run(self, hidden: Hidden, state: Vectors, keep: Keep | None) -> tuple[Hidden, Vectors]:
        """Let the fused kernel step, over pieces whose numbers stay in the processor's own memory; it knows no padding,
        so sequences with any are stepped through here."""
        if keep is not None and not bool(keep.all()):
            return self.after(hidden, state, keep)
        mixed = []
        for piece in hidden.split(PIECE, dim=1):
            handed = tuple(vector[None].contiguous() for vector in state)
            read, last = self.cell(piece, handed if self.vectors > 1 else handed[0])
            state = tuple(vector[0] for vector in (last if self.vectors > 1 else (last,)))
            mixed.append(read)
        return torch.cat(mixed, dim=1), state

    def _inputs(self, given: Row) -> tuple[Tensor, ...]:
        found: tuple[Tensor, ...] = linear(given, self.cell.weight_ih_l0, self.cell.bias_ih_l0).split(self.width, -1)
        return found

    def _handed(self, vector: Row) -> tuple[Tensor, ...]:
        found: tuple[Tensor, ...] = linear(vector, self.cell.weight_hh_l0, self.cell.bias_hh_l0).split(self.width, -1)
        return found


class Elman(Recurrent):
    """h(t) = tanh(W x(t) + U h(t-1) + b) (Elman 1990, section 3)."""

    module = nn.RNN

    def step(self, given: Row, state: Vectors) -> Vectors:
        """Rewrite everything."""
        return (torch.tanh(self._inputs(given)[0] + self._handed(state[0])[0]),)


class LSTM(Recurrent):
    """A second vector passes through gates and is only added to: what the forget gate leaves at 1 stays (Hochreiter and
    Schmidhuber 1997; with the forget gate of Gers et al. 2000, equations 3-6)."""

    module, vectors = nn.LSTM, 2

    def step(self, given: Row, state: Vectors) -> Vectors:
        """Forget, write, read."""
        write, forget, new, read = self._gates(given, state[0])
        cell = forget * state[1] + write * new
        return read * torch.tanh(cell), cell

    def begin(self, source: torch.Generator) -> None:
        """Begin with forget gates that are open rather than shut (Jozefowicz et al. 2015, section 2.2)."""
        super().begin(source)
        with torch.no_grad():
            self.cell.bias_ih_l0[self.width : 2 * self.width] = 1.0

    def forget_gates(self, hidden: Hidden) -> Float[Tensor, "batch position width"]:
        """Return how much of the cell is kept at each position, 0 to 1."""
        state, kept = self.start(hidden), []
        for place in range(hidden.shape[1]):
            kept.append(self._gates(hidden[:, place], state[0])[1])
            state = self.step(hidden[:, place], state)
        return torch.stack(kept, dim=1)

    def _gates(self, given: Row, read: Row) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        parts = [one + other for one, other in zip(self._inputs(given), self._handed(read), strict=True)]
        return parts[0].sigmoid(), parts[1].sigmoid(), parts[2].tanh(), parts[3].sigmoid()


class GRU(Recurrent):
    """One vector, and a gate that says how much of it is rewritten (Cho et al. 2014, equations 5-8)."""

    module = nn.GRU

    def step(self, given: Row, state: Vectors) -> Vectors:
        """Rewrite as much as the update gate lets through."""
        (reset, keep, new), (handed_reset, handed_keep, handed) = self._inputs(given), self._handed(state[0])
        keep = torch.sigmoid(keep + handed_keep)
        new = torch.tanh(new + torch.sigmoid(reset + handed_reset) * handed)
        return ((1 - keep) * new + keep * state[0],)
