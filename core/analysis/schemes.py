"""One sentence through one small, untrained attention stack, with one position scheme after another.

The stack is drawn from a seed and never trained: it shows what a scheme can do to scores, not what a model learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from core.analysis.maps import Numbers
from core.analysis.offsets import mean_by_offset
from core.analysis.shuffles import parts_of
from core.blocks.untrained import drawn
from core.errors import CoreError
from core.masks import Causal, Everyone, Rule
from core.mixers.softmax import Attention, pattern, plain, scores
from core.positions.table import POSITIONS, TRAINED, Scheme, at_heads, at_scores, input_rows

WIDTH, HEADS, HEAD_WIDTH = 64, 4, 16
ROUNDING = 1e-5
PROJECTIONS = ("queries", "keys", "values", "output")


@dataclass(frozen=True, kw_only=True, eq=False)
class Added:
    """What a scheme adds to the scores of one head [query, key], the pattern that results, and both by distance.

    Nobody looks ahead; cells ahead are not a number. `by_distance` is the mean of what is added at each of `offsets`
    (key - query, 0 and less); `spread` the largest difference between two cells of one offset: zero where what is added
    does not depend on what the pieces are.
    """

    scheme: str
    added: Numbers
    pattern: Numbers
    offsets: tuple[int, ...]
    by_distance: Numbers
    spread: float

    @property
    def manner(self) -> str:
        """Whether nothing is added, or exactly the same at one distance, or with a spread."""
        if not np.any(self.by_distance) and self.spread == 0:
            return "nothing"
        return "spread" if self.spread > ROUNDING else "exact"


@dataclass(frozen=True, kw_only=True, eq=False)
class Blind:
    """A text and a shuffle of it through one layer.

    `order` says which piece of the text stands at each place of the shuffle; `difference` is the largest difference
    between the outputs of the shuffle and those of the text put into the same order: rounding, where the layer is
    blind to order.
    """

    scheme: str
    order: tuple[int, ...]
    straight: Numbers
    shuffled: Numbers
    difference: float


def table() -> dict[str, Scheme]:
    """Return every scheme by its name."""
    return dict(POSITIONS)


def trained() -> int:
    """Return the length for which the learned and the stretched schemes are made."""
    return TRAINED


def vocabulary(text: str) -> tuple[str, ...]:
    """Return the distinct parts of a text, in the order in which they first appear: its own tiny vocabulary."""
    return tuple(dict.fromkeys(parts_of(text)))


def ids_of(text: str) -> Int[Tensor, " position"]:
    """Return each part's number in the text's own vocabulary.

    Raises:
        CoreError: `no_pieces` for a text without anything visible.
    """
    parts = parts_of(text)
    if not parts:
        raise CoreError("no_pieces", came=len(text))
    known = {part: number for number, part in enumerate(vocabulary(text))}
    return torch.tensor([known[part] for part in parts])


def added(text: str, scheme: str, *, head: int = 0, seed: int = 0) -> Added:
    """Return what a scheme adds to the scores of a text, split into its parts.

    Raises:
        CoreError: `unknown_choice` for a scheme that does not exist, `too_long` for a text beyond its last row.
    """
    ids = ids_of(text)
    with_it, without = (attention(ids, name, Causal(), seed=seed) for name in (_known(scheme, len(ids)), "none"))
    cells = (scores(with_it) - scores(without))[0, head].numpy()
    every, mean, index = mean_by_offset(cells)
    behind = every <= 0
    return Added(
        scheme=scheme,
        added=cells,
        pattern=pattern(with_it)[0, head].numpy(),
        offsets=tuple(int(offset) for offset in every[behind]),
        by_distance=mean[behind],
        spread=max(float(np.ptp(cells[index == place])) for place in np.flatnonzero(behind)),
    )


def blind(text: str, scheme: str, order: Sequence[int] | None = None, *, seed: int = 0) -> Blind:
    """Put a text and a shuffle of it (its reverse, if none is given) through one layer and compare the outputs.

    Raises:
        CoreError: `unknown_choice`, `too_long`, or `out_of_range` for an order that is no order of the text.
    """
    ids = ids_of(text)
    places = list(range(len(ids)))[::-1] if order is None else list(order)
    if sorted(places) != list(range(len(ids))):
        raise CoreError("out_of_range", what="order", came=str(places)[:80], allowed=len(ids) - 1)
    _known(scheme, len(ids))
    straight, shuffled = (layer(part, scheme, seed=seed) for part in (ids, ids[places]))
    return Blind(
        scheme=scheme,
        order=tuple(places),
        straight=straight.numpy(),
        shuffled=shuffled.numpy(),
        difference=float((shuffled - straight[places]).abs().max()),
    )


@torch.no_grad()
def attention(ids: Int[Tensor, " position"], scheme: str, rule: Rule, *, seed: int = 0) -> Attention:
    """Return what the stack's only softmax is given for some ids, positions told by one scheme."""
    table, weights = drawn(int(ids.max()) + 1, WIDTH, seed=seed), _weights(seed)
    places = torch.arange(len(ids))
    hidden = table[ids] + input_rows(scheme, WIDTH, places)
    queries, keys, values = (_heads(hidden @ weights[name]) for name in PROJECTIONS[:3])
    turning, adding = at_heads(scheme, HEAD_WIDTH), at_scores(scheme, HEADS)
    if turning is not None:
        angles = turning.angles(places[None])
        queries, keys = turning.turn(queries, angles), turning.turn(keys, angles)
    return Attention(
        queries=queries,
        keys=keys,
        values=values,
        scale=HEAD_WIDTH**-0.5,
        rule=rule,
        bias=None if adding is None else adding(queries, keys, places[None]),
    )


@torch.no_grad()
def layer(ids: Int[Tensor, " position"], scheme: str, *, seed: int = 0) -> Float[Tensor, "position width"]:
    """Return the output of one attention layer for some ids."""
    mixed = plain(attention(ids, scheme, Everyone(), seed=seed))
    return rearrange(mixed, "1 head position w -> position (head w)") @ _weights(seed)["output"]


def curve(scheme: str, farthest: int = 4 * TRAINED) -> tuple[tuple[int, ...], Numbers]:
    """Return what a scheme alone gives a key at each distance behind the query, up to a length it was not made for.

    Rows: the product of two rows over that of a row with itself. Turning: the product of a vector of ones with itself,
    turned by the distance, over its length. Scores: what is added, for the first head. A learned table ends at its
    last row.
    """
    last = min(farthest, (POSITIONS[_known(scheme, 1)].longest or farthest + 1) - 1)
    places = torch.arange(last + 1)
    turning, adding = at_heads(scheme, HEAD_WIDTH), at_scores(scheme, HEADS)
    if turning is not None:
        found = _turned_alone(scheme, places)
    elif adding is not None:
        queries = torch.zeros(1, HEADS, len(places), HEAD_WIDTH)
        found = adding(queries, queries, places[None]).at(places[-1:], places)[0, 0, 0].flip(0)
    else:
        rows = input_rows(scheme, WIDTH, places)
        found = (rows @ rows[0]) / (rows[0] @ rows[0]).clamp(min=1e-30)
    return tuple(range(last + 1)), found.detach().float().numpy()


def _turned_alone(scheme: str, places: Tensor) -> Tensor:
    turning = at_heads(scheme, HEAD_WIDTH)
    ones = torch.ones(1, 1, len(places), HEAD_WIDTH)
    turned: Tensor = turning.turn(ones, turning.angles(places[None])) if turning is not None else ones
    return (turned @ turned[:, :, :1].transpose(-2, -1))[0, 0, :, 0] / HEAD_WIDTH


def _weights(seed: int) -> dict[str, Tensor]:
    shape, spread = (WIDTH, HEADS * HEAD_WIDTH), WIDTH**-0.5
    return {name: drawn(*shape, seed=seed + 1 + number, spread=spread) for number, name in enumerate(PROJECTIONS)}


def _heads(projected: Tensor) -> Tensor:
    return rearrange(projected, "position (head w) -> 1 head position w", w=HEAD_WIDTH)


def _known(scheme: str, length: int) -> str:
    if scheme not in POSITIONS:
        raise CoreError("unknown_choice", came=scheme, allowed=", ".join(POSITIONS))
    longest = POSITIONS[scheme].longest
    if longest is not None and length > longest:
        raise CoreError("too_long", came=length, allowed=longest)
    return scheme
