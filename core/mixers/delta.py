"""Gated linear attention and the delta rule: a matrix that forgets, and that corrects what it holds under a key.

S(t) = a(t) S(t-1) (I - b(t) k(t) k(t)^T) + b(t) v(t) k(t)^T,  y(t) = S(t) q(t)        (Yang et al. 2024, "Gated Delta
Networks", equation 10). With a = 1 it is the delta rule (Schlag et al. 2021, equation 24); without the correction, a
gated sum (Sun et al. 2023, equation 5, with a gate that follows from the position as in Yang et al. 2023).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, normalize

from core.mixers.linear import CHUNK, Projected, Rows
from core.mixers.mixer import Influence
from core.mixers.recurrence import between
from core.shapes import Hidden, Keep

Gates = Float[Tensor, "batch head position"]
Matrix = Float[Tensor, "batch head head_width head_width"]


class Gated(Projected):
    """S(t) = a(t) S(t-1) + v(t) k(t)^T: what was written fades as the gate says."""

    def __init__(self, width: int, *, heads: int = 4, fades: bool = True) -> None:
        super().__init__(width, heads=heads)
        self.fading = nn.Linear(width, heads) if fades else None

    def begin(self, source: torch.Generator) -> None:
        """Begin with heads that forget 1/32, 1/64, 1/128 .. at each position (Sun et al. 2023, equation 8): a gate that
        begins half shut has forgotten a word before it can learn to keep it."""
        if self.fading is not None:
            lost = 2.0 ** -torch.arange(5.0, 5.0 + self.heads)
            with torch.no_grad():
                self.fading.bias.copy_(torch.logit(1 - lost))

    def start(self, hidden: Hidden) -> Matrix:
        """Begin with an empty matrix."""
        return hidden.new_zeros(len(hidden), self.heads, self.head_width, self.head_width)

    def given(self, hidden: Hidden, keep: Keep | None = None) -> tuple[Rows, Rows, Rows, Gates, Gates]:
        """Return q, k (unit length), v, log a and b; padding neither fades nor writes."""
        queries, keys, values = self.split(hidden)
        fading, strength = self.fades(hidden).mT, self.strength(hidden).mT
        if keep is not None:
            fading, strength = fading * keep[:, None], strength * keep[:, None]
        return queries * self.head_width**-0.5, normalize(keys, dim=-1), values, fading, strength

    def fades(self, hidden: Hidden) -> Float[Tensor, "batch position head"]:
        """Return log a at each position; 0 for a mixer that forgets nothing of its own accord."""
        if self.fading is None:
            return hidden.new_zeros(*hidden.shape[:2], self.heads)
        return logsigmoid(self.fading(hidden))

    def strength(self, hidden: Hidden) -> Float[Tensor, "batch position head"]:
        """Return how strongly each position writes: fully."""
        return hidden.new_ones(*hidden.shape[:2], self.heads)

    def written(self, key: Tensor, value: Tensor, strength: Tensor, kept: Tensor) -> Tensor:
        """Return what one position adds under its key, given the matrix that is kept."""
        return strength * value

    def after(self, hidden: Hidden, state: Matrix, keep: Keep | None) -> tuple[Hidden, Matrix]:
        """Fade, write and read, one position after another."""
        queries, keys, values, fading, strength = self.given(hidden, keep)
        read = []
        for place in range(hidden.shape[1]):
            key, kept = keys[:, :, place], fading[:, :, place, None, None].exp() * state
            added = self.written(key, values[:, :, place], strength[:, :, place, None], kept)
            state = kept + added[..., None] * key[..., None, :]
            read.append((state @ queries[:, :, place, :, None])[..., 0])
        return self.joined(torch.stack(read, dim=2)), state

    def run(self, hidden: Hidden, state: Matrix, keep: Keep | None) -> tuple[Hidden, Matrix]:
        """Multiply matrices within chunks, and hand one matrix on from chunk to chunk."""
        parts, read = self.given(hidden, keep), []
        for some in (slice(start, start + CHUNK) for start in range(0, hidden.shape[1], CHUNK)):
            queries, keys, values, fading, strength = (part[:, :, some] for part in parts)
            gone = fading.cumsum(-1)
            left = gone.exp()[..., None]
            added = self.corrections(keys, strength, gone) @ (values - self.recalled(left * (keys @ state.mT)))
            read.append(left * (queries @ state.mT) + (between(gone) * (queries @ keys.mT)) @ added)
            fades = (gone[..., -1:] - gone).exp()[..., None]
            state = left[..., -1:, :] * state + (fades * added).mT @ keys
        return self.joined(torch.cat(read, dim=2)), state

    def corrections(self, keys: Rows, strength: Gates, gone: Gates) -> Float[Tensor, "batch head query key"]:
        """Return the matrix that makes what a chunk writes of its values: here, each its own."""
        return torch.diag_embed(strength)

    def recalled(self, held: Rows) -> Rows | float:
        """Return what of what is held under the keys is taken back before writing: nothing."""
        return 0.0

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return the effective matrix: the factor, of either sign, of each value in each output."""
        queries, keys, _, fading, strength = self.given(hidden)
        gone = fading.cumsum(-1)
        cells = (between(gone) * (queries @ keys.mT)) @ self.corrections(keys, strength, gone)
        return Influence(cells=cells[0], how="matrix")


class Delta(Gated):
    """The delta rule, gated or not: before a value is written, what is held under its key is taken back in part."""

    def __init__(self, width: int, *, heads: int = 4, fades: bool = True) -> None:
        super().__init__(width, heads=heads, fades=fades)
        self.writing = nn.Linear(width, heads)

    def strength(self, hidden: Hidden) -> Float[Tensor, "batch position head"]:
        """Return b, between 0 and 1."""
        found: Tensor = self.writing(hidden).sigmoid()
        return found

    def written(self, key: Tensor, value: Tensor, strength: Tensor, kept: Tensor) -> Tensor:
        """Return b (v - S k): only what the matrix does not hold already."""
        return strength * (value - (kept @ key[..., None])[..., 0])

    def corrections(self, keys: Rows, strength: Gates, gone: Gates) -> Float[Tensor, "batch head query key"]:
        """Return (I + tril(diag(b) (decay o K K^T), -1))^-1 diag(b): what each position writes once those before it
        in the chunk have (Yang et al. 2024, "Parallelizing Linear Transformers", equations 10 and 11)."""
        overlap = strength[..., None] * (between(gone) * (keys @ keys.mT)).tril(-1)
        return torch.linalg.solve_triangular(overlap, torch.diag_embed(strength), upper=False, unitriangular=True)

    def recalled(self, held: Rows) -> Rows | float:
        """Return what the matrix from before the chunk holds under the keys."""
        return held
