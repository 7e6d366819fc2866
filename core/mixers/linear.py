"""Linear attention: the softmax's exponential is replaced by a product of features, so that the sum over what came
before can be kept as one matrix (Katharopoulos et al. 2020).

y(t) = phi(q(t)) S(t) / (phi(q(t)) z(t)),  S(t) = S(t-1) + phi(k(t)) v(t)^T,  z(t) = z(t-1) + phi(k(t)),  phi = elu + 1
"""

from __future__ import annotations

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import elu

from core.mixers.mixer import Carrying, Influence
from core.shapes import Hidden, Keep

CHUNK = 64
SPLIT = "b position (head w) -> b head position w"

Rows = Float[Tensor, "batch head position head_width"]
Sums = tuple[Float[Tensor, "batch head head_width head_width"], Float[Tensor, "batch head head_width"]]


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
    another (equations 18 to 20), and in chunks."""

    def start(self, hidden: Hidden) -> Sums:
        """Begin with empty sums."""
        shape = len(hidden), self.heads, self.head_width
        return hidden.new_zeros(*shape, self.head_width), hidden.new_zeros(shape)

    def features(self, hidden: Hidden, keep: Keep | None = None) -> tuple[Rows, Rows, Rows]:
        """Return phi(q), phi(k) and v; padding has no features, so that it adds nothing to any sum."""
        queries, keys, values = self.split(hidden)
        written = elu(keys) + 1
        return elu(queries) + 1, written if keep is None else written * keep[:, None, :, None], values

    def plain(self, hidden: Hidden) -> Hidden:
        """Weigh all pairs."""
        return self.joined(self._shares(hidden) @ self.split(hidden)[2])

    def influence(self, hidden: Float[Tensor, "1 position width"]) -> Influence:
        """Return the normalised kernel: shares, as a softmax's are."""
        return Influence(cells=self._shares(hidden)[0], how="kernel")

    def _shares(self, hidden: Hidden) -> Float[Tensor, "batch head query key"]:
        read, written, _ = self.features(hidden)
        kernel = (read @ written.mT).tril()
        return kernel / kernel.sum(-1, keepdim=True)

    def after(self, hidden: Hidden, state: Sums, keep: Keep | None) -> tuple[Hidden, Sums]:
        """Add up and read, one position after another."""
        (read, written, values), (sums, total), mixed = self.features(hidden, keep), state, []
        for place in range(hidden.shape[1]):
            key, query = written[:, :, place], read[:, :, place]
            sums = sums + key[..., None] * values[:, :, place, None]
            total = total + key
            mixed.append(_over((query[..., None, :] @ sums)[..., 0, :], (query * total).sum(-1)))
        return self.joined(torch.stack(mixed, dim=2)), (sums, total)

    def run(self, hidden: Hidden, state: Sums, keep: Keep | None) -> tuple[Hidden, Sums]:
        """Multiply matrices within chunks, and hand the sums on from chunk to chunk."""
        (read, written, values), (sums, total), mixed = self.features(hidden, keep), state, []
        for some in (slice(start, start + CHUNK) for start in range(0, hidden.shape[1], CHUNK)):
            query, key, value = read[:, :, some], written[:, :, some], values[:, :, some]
            inside = (query @ key.mT).tril()
            weighed = inside @ value + query @ sums
            mixed.append(_over(weighed, inside.sum(-1) + (query @ total[..., None])[..., 0]))
            sums, total = sums + key.mT @ value, total + key.sum(2)
        return self.joined(torch.cat(mixed, dim=2)), (sums, total)


def _over(weighed: Tensor, total: Tensor) -> Tensor:
    """Return sums over their total; where nothing was written yet (padding), nothing."""
    return weighed / torch.where(total == 0, 1, total)[..., None]
