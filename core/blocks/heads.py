"""Output heads: from the last hidden state to one logit per piece of the vocabulary, or per class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from core.blocks.feed_forward import Activation
from core.products import Linear
from core.shapes import Hidden


class LanguageHead(nn.Module):
    """One product with a row per piece; often the same rows as the embeddings (Press and Wolf 2017).

    `cap` bounds the logits softly, cap * tanh(logits / cap) (Gemma Team 2024, section 2); `scale` multiplies the states
    first (Raffel et al. 2020, as published with T5: the root of the width, turned over).
    """

    def __init__(
        self, width: int, pieces: int, *, bias: bool = False, cap: float | None = None, scale: float = 1.0
    ) -> None:
        super().__init__()
        self.cap, self.scale = cap, scale
        self.pieces = Linear(width, pieces, bias=bias)

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch position piece"]:
        """Return the logits."""
        logits = self.pieces(hidden if self.scale == 1.0 else hidden * self.scale)
        return logits if self.cap is None else self.cap * torch.tanh(logits / self.cap)


class MaskedLanguageHead(nn.Module):
    """BERT's head for hidden pieces: dense, activation, norm, then a row per piece (Devlin et al. 2019, section
    3.1).

    `inner` is the width of those rows where it is not that of the layers; `biases` names the parts with a bias.
    """

    def __init__(
        self,
        width: int,
        pieces: int,
        *,
        act: Activation,
        norm: nn.Module,
        inner: int | None = None,
        biases: frozenset[str] = frozenset({"dense", "pieces"}),
    ) -> None:
        super().__init__()
        self.act, self.norm = act, norm
        self.dense = Linear(width, inner or width, bias="dense" in biases)
        self.pieces = Linear(inner or width, pieces, bias="pieces" in biases)

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch position piece"]:
        """Return the logits."""
        return self.pieces(self.norm(self.act(self.dense(hidden))))


Ids = NDArray[np.int64]
Rows = Float[Tensor, "batch row width"]
Pick = Callable[[Hidden], Rows]


def everybody(hidden: Hidden) -> Rows:
    """Every position for itself."""
    return hidden


def first(hidden: Hidden) -> Rows:
    """The first position, for the whole text."""
    return hidden[:, :1]


def last(hidden: Hidden) -> Rows:
    """The last position, which has seen the whole text in a decoder."""
    return hidden[:, -1:]


def mean(hidden: Hidden) -> Rows:
    """The mean of all positions, for the whole text."""
    return hidden.mean(1, keepdim=True)


class ClassHead(nn.Module):
    """A row per class, after a dense part where there is one (Devlin et al. 2019, section 4.1 and section 5.3).

    `pick` says for what there are logits: every position, or the whole text through one row.
    """

    def __init__(
        self,
        width: int,
        classes: int,
        *,
        pick: Pick = everybody,
        before: nn.Module | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.pick, self.before = pick, before or nn.Identity()
        self.classes = nn.Linear(width, classes, bias=bias)

    @property
    def whole(self) -> bool:
        """Whether the logits are those of the whole text, and follow from all positions."""
        return self.pick is not everybody

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch row class"]:
        """Return the logits."""
        return self.classes(self.before(self.pick(hidden)))


class TaughtHead(ClassHead):
    """The mean of two heads of classes, one of the first position and one of the second, which learned from a teacher
    (Touvron et al. 2021, section 4)."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__(width, classes, pick=first)
        self.taught = nn.Linear(width, classes)

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch row class"]:
        """Return the logits."""
        return torch.stack(self.both(hidden)).mean(0)

    def both(self, hidden: Hidden) -> tuple[Tensor, Tensor]:
        """Return the logits of each head [batch, 1, class]."""
        return self.classes(hidden[:, :1]), self.taught(hidden[:, 1:2])


class SharedSpace(nn.Module):
    """A projection into the space that texts and pictures share, to length one (Radford et al. 2021, figure 3).

    It speaks of the whole sample through its first position. `logit_scale` is the logarithm of what likenesses are
    multiplied by.
    """

    whole = True

    def __init__(self, width: int, shared: int, *, scaled: bool = False) -> None:
        super().__init__()
        self.project = nn.Linear(width, shared, bias=False)
        self.logit_scale = nn.Parameter(torch.empty(())) if scaled else None

    def place(self, ids: Ids) -> int:
        """Return the position through which a sample is judged."""
        return 0

    def forward(self, hidden: Hidden) -> Float[Tensor, "batch row shared"]:
        """Return the direction of each row."""
        return normalize(self.project(hidden), dim=-1)


class EndedSpace(SharedSpace):
    """The same through the first piece that ends a text, which has read all of it; `end` = None: the piece with the
    highest id."""

    def __init__(self, width: int, shared: int, *, end: int | None, scaled: bool = False) -> None:
        super().__init__(width, shared, scaled=scaled)
        self.end = end

    def place(self, ids: Ids) -> int:
        """Return the position of the end; the first where there is none."""
        return int((ids if self.end is None else ids == self.end).argmax())


class Bend(nn.Module):
    """norm(act(dense(x))): what stands between the last hidden state and the rows of a head."""

    def __init__(self, width: int, *, act: Activation, norm: nn.Module | None = None, bias: bool = True) -> None:
        super().__init__()
        self.act, self.norm = act, norm or nn.Identity()
        self.dense = nn.Linear(width, width, bias=bias)

    def forward(self, hidden: Hidden) -> Hidden:
        """Turn, bend, normalise."""
        return self.norm(self.act(self.dense(hidden)))
