"""A step of writing: a piece, and what the model thought of it and of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

OTHERS, ROW = 10, 256
STOP, LIMIT, POSITIONS = "stop", "limit", "positions"

Logits = NDArray[np.float32]
Rows = NDArray[np.float32]
Shares = Mapping[str, Rows]


@dataclass(frozen=True, kw_only=True, eq=False)
class Step:
    """One written piece, and the probabilities that the model gave, over the whole vocabulary and not renormalised.

    `ident` stands at `position`, counted from the first of the text (or of the answer). `probability` is that of the
    piece, `rank` how many were likelier, `entropy` that of the distribution in bits; `others` are the ten likeliest
    other pieces, `other_probabilities` theirs. `chance` is the probability with which it was drawn, after temperature
    and filters: 1 for the likeliest, and for one that was `forced`.

    `label` shows the piece, bytes of half a character as bytes; `text` is what can be read since the step before: a
    character appears when it is whole, so the texts of all steps, one after another, are the text. `ended` says why
    writing ends here: "stop" (a stop piece), "limit" (as many as were asked for), "positions" (the model takes no
    more), None where it goes on.

    `rows` are the shares of what was read in this step, by side [layer, head, query, key], where they were asked for:
    the square of all that stood there first, then one row each. NaN where a layer has no softmax or has let a key go.
    """

    ident: int
    position: int
    probability: float
    rank: int
    entropy: float
    others: tuple[int, ...]
    other_probabilities: tuple[float, ...]
    chance: float = 1.0
    forced: bool = False
    label: str = ""
    text: str = ""
    ended: str | None = None
    rows: Shares | None = None
    score: Callable[[], Logits] | None = field(default=None, repr=False)

    @property
    def logits(self) -> Logits:
        """The logits [piece] that it was chosen from; they are computed again from the last state, and never kept."""
        return np.zeros(0, np.float32) if self.score is None else self.score()


def branch(steps: Sequence[Step], number: int, ident: int) -> tuple[int, ...]:
    """Return what `forced` must be to go on from step `number` with another piece."""
    return (*(step.ident for step in steps[:number]), ident)


class Thought(NamedTuple):
    """What a Step says of a distribution."""

    probability: float
    rank: int
    entropy: float
    others: tuple[int, ...]
    other_probabilities: tuple[float, ...]


def thought(logits: Tensor, ident: int) -> Thought:
    """Return what the model thought of a piece and of the likeliest others, from its logits [piece]; entropy in bits
    (Shannon 1948, section 6).

    With s the logits less the largest and Z the sum of exp s, a probability is exp s / Z and the entropy, in nats,
    log Z - sum (s exp s) / Z.
    """
    exact = logits.float()
    below = exact - exact.amax()
    shares = below.exp()
    whole = float(shares.sum())
    entropy = math.log(whole) - float(torch.dot(shares, below.clamp_(min=-1e4))) / whole
    best = likeliest(exact, min(OTHERS + 1, len(exact)))
    *tops, own = shares[[*best, ident]].tolist()
    found = [(other, share / whole) for other, share in zip(best, tops, strict=True) if other != ident][:OTHERS]
    return Thought(
        probability=own / whole,
        rank=0 if ident == best[0] else int(torch.count_nonzero(exact > exact[ident])),
        entropy=max(0.0, entropy / math.log(2)),
        others=tuple(other for other, _ in found),
        other_probabilities=tuple(share for _, share in found),
    )


def likeliest(logits: Tensor, count: int) -> list[int]:
    """Return the pieces with the largest logits, largest first.

    Cut into rows, they lie in the `count` rows whose largest logits are the largest: only these are sorted, a tenth of
    the work that a whole vocabulary takes.
    """
    rows = len(logits) // ROW
    if rows <= count:
        return logits.topk(count).indices.tolist()
    cut = logits[: rows * ROW].view(rows, ROW)
    some = cut.amax(dim=-1).topk(count).indices
    places = (some[:, None] * ROW + torch.arange(ROW, device=logits.device)).flatten()
    places = torch.cat((places, torch.arange(rows * ROW, len(logits), device=logits.device)))
    return places[logits[places].topk(count).indices].tolist()
