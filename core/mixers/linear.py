"""Linear attention: the softmax's exponential is replaced by a product of features, so that the sum over what came
before can be kept as one matrix (Katharopoulos et al. 2020).

y(t) = phi(q(t)) S(t) / (phi(q(t)) z(t)),  S(t) = S(t-1) + phi(k(t)) v(t)^T,  z(t) = z(t-1) + phi(k(t)),  phi = elu + 1
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import elu, pad

from core.mixers.mixer import Carrying, Influence
from core.shapes import Hidden, Keep

CHUNK = 64
SPLIT = "b position (head w) -> b head position w"

Rows = Float[Tensor, "batch head position head_width"]
WithOne = Float[Tensor, "batch head position value_and_one"]
Sums = Float[Tensor, "batch head head_width value_and_one"]


class Projected(Carrying):
    """A mixer that keeps a matrix for each head, written with keys and values and read with queries."""

    def __init__(self, width: int, *, heads: int = 4) -> None:
        super().__init__()
        self.width, self.heads, self.head_width = width, heads, width // heads
        self.queries, self.keys, self.values, self.output = (nn.Linear(width, width, bias=False) for _ in range(4))

    def split(self, hidden: Hidden) -> tuple[Rows, Rows, Rows]:
        """Return queries, keys and values by head."""
        made = (self.queries(hidden), self.keys(hidden), self.values(hidden))
        queries, keys, values = (rearrange(part, SPLIT, w=self.head_width) for part in made)
        return queries, keys, values

    def joined(self, mixed: Rows) -> Hidden:
        """Return the heads side by side, projected back."""
        found: Hidden = self.output(rearrange(mixed, "b head position w -> b position (head w)"))
        return found


class Linear(Projected):
    """The kernel of Katharopoulos et al. 2020, section 3.2, in its three forms: all pairs (equation 4), one after
    another (equations 18 to 20), and in chunks.

    A 1 stands beside the values, so that z is one more column of S.
    """

    def start(self, hidden: Hidden) -> Sums:
        """Begin with empty sums."""
        return hidden.new_zeros(len(hidden), self.heads, self.head_width, self.head_width + 1)

    def features(self, hidden: Hidden, keep: Keep | None = None) -> tuple[Rows, Rows, WithOne]:
        """Return phi(k) and v with its 1; padding has no features, so that it adds nothing to any sum."""
        queries, keys, values = self.split(hidden)
        written = elu(keys) + 1
        written = written if keep is None else written * keep[:, None, :, None]
        return elu(queries) + 1, written, pad(values, (0, 1), value=1.0)

    def plain(self, hidden: Hidden) -> Hidden:
        """Weigh all pairs."""
        read, written, values = self.features(hidden)
        return self.joined(over_total((read @ written.mT).tril() @ values))

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return the normalised kernel: shares, as a softmax's are."""
        return Influence(cells=self._shares(hidden)[0], how="kernel")

    def _shares(self, hidden: Hidden) -> Float[Tensor, "batch head query key"]:
        read, written, _ = self.features(hidden)
        kernel = (read @ written.mT).tril()
        return kernel / kernel.sum(-1, keepdim=True)

    def after(self, hidden: Hidden, state: Sums, keep: Keep | None) -> tuple[Hidden, Sums]:
        """Add up and read, one position after another."""
        (read, written, values), mixed = self.features(hidden, keep), []
        for place in range(hidden.shape[1]):
            state = state + written[:, :, place, :, None] * values[:, :, place, None]
            mixed.append((read[:, :, place, None] @ state)[..., 0, :])
        return self.joined(over_total(torch.stack(mixed, dim=2))), state

    def run(self, hidden: Hidden, state: Sums, keep: Keep | None) -> tuple[Hidden, Sums]:
        """Multiply matrices within chunks, and hand the sums on from chunk to chunk."""
        mixed, state = in_chunks(*self.features(hidden, keep), state)
        return self.joined(over_total(mixed)), state


def in_chunks(read: Rows, written: Rows, values: WithOne, state: Sums) -> tuple[WithOne, Sums]:
    """Return what each position reads of all that was written up to it, and the last sums."""
    mixed = []
    for some in (slice(start, start + CHUNK) for start in range(0, read.shape[2], CHUNK)):
        query, key, value = read[:, :, some], written[:, :, some], values[:, :, some]
        mixed.append((query @ key.mT).tril() @ value + query @ state)
        state = state + key.mT @ value
    return torch.cat(mixed, dim=2), state


def over_total(mixed: WithOne) -> Rows:
    """Return sums over their total, which stands beside them; where nothing was written yet (padding), nothing."""
    weighed, total = mixed.split((mixed.shape[-1] - 1, 1), dim=-1)
    return weighed / torch.where(total == 0, 1, total)
