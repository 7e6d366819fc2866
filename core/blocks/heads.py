"""Output heads: from the last hidden state to one logit per piece of the vocabulary."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn

from core.blocks.feed_forward import Activation
from core.shapes import Hidden


class LanguageHead(nn.Module):
    """One product with a row per piece; often the same rows as the embeddings (Press and Wolf 2017)."""

    def __init__(self, width: int, pieces: int) -> None:
        super().__init__()
        self.pieces = nn.Linear(width, pieces, bias=False)

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch position piece"]:
        """Return the logits."""
        return self.pieces(hidden)


class MaskedLanguageHead(nn.Module):
    """BERT's head for hidden pieces: dense, activation, norm, then a row per piece (Devlin et al. 2019, section
    3.1)."""

    def __init__(self, width: int, pieces: int, *, act: Activation, norm: nn.Module) -> None:
        super().__init__()
        self.act, self.norm = act, norm
        self.dense = nn.Linear(width, width)
        self.pieces = nn.Linear(width, pieces)

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch position piece"]:
        """Return the logits."""
        return self.pieces(self.norm(self.act(self.dense(hidden))))
