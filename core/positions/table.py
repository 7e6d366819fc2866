"""The table of position schemes: by which door each enters, and what is claimed of it (the tests hold it to that)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.positions.alibi import Alibi
from core.positions.buckets import Buckets
from core.positions.doors import AtHeads, AtScores
from core.positions.neighbours import Neighbours
from core.positions.rotary import Rotary
from core.positions.scalings import Linear, Yarn
from core.positions.sinusoidal import Sinusoidal

TRAINED = 64
LONGER = 4.0


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """One way of telling a model where a piece stands.

    `door` is input, heads or scores (or none); `by_distance` claims that only the distance of two pieces counts;
    `longest` is the last length it can serve, None where it has no end. The stretched ones are made for texts LONGER
    times the length they were TRAINED on.
    """

    name: str
    door: str
    by_distance: bool = False
    longest: int | None = None


POSITIONS = {
    scheme.name: scheme
    for scheme in (
        Scheme(name="none", door="none", by_distance=True),
        Scheme(name="sinusoidal", door="input"),
        Scheme(name="learned", door="input", longest=TRAINED),
        Scheme(name="rotary", door="heads", by_distance=True),
        Scheme(name="rotary-neighbours", door="heads", by_distance=True),
        Scheme(name="rotary-linear", door="heads", by_distance=True),
        Scheme(name="rotary-yarn", door="heads", by_distance=True),
        Scheme(name="alibi", door="scores", by_distance=True),
        Scheme(name="buckets", door="scores", by_distance=True),
    )
}


def input_rows(name: str, width: int, positions: Tensor, *, seed: int = 0) -> Tensor:
    """Return what a scheme adds to the embeddings of some positions [position, width]; zeros where it enters elsewhere.

    The learned rows are random here, drawn from `seed`, as they are before any training.

    Raises:
        IndexError: a position beyond the last learned row.
    """
    if name == "sinusoidal":
        return Sinusoidal(width=width).rows(positions)
    if name == "learned":
        table = torch.randn(TRAINED, width, generator=torch.Generator().manual_seed(seed))
        return table.to(positions.device)[positions]
    return torch.zeros(len(positions), width, device=positions.device)


def at_heads(name: str, head_width: int) -> AtHeads | None:
    """Return the scheme that turns queries and keys, None where nothing is turned."""
    plain = Rotary(head_width=head_width)
    turning: dict[str, AtHeads] = {
        "rotary": plain,
        "rotary-neighbours": Neighbours(rotary=plain),
        "rotary-linear": Rotary(head_width=head_width, scaling=Linear(factor=LONGER)),
        "rotary-yarn": Rotary(head_width=head_width, scaling=Yarn(factor=LONGER, trained=TRAINED)),
    }
    return turning.get(name)


def at_scores(name: str, heads: int, *, seed: int = 0) -> AtScores | None:
    """Return the part that adds to the scores, None where nothing is added; bucket values are random, from `seed`."""
    if name == "alibi":
        return Alibi(heads=heads)
    if name != "buckets":
        return None
    part = Buckets(heads)
    with torch.no_grad():
        part.table.weight.copy_(torch.randn(part.table.weight.shape, generator=torch.Generator().manual_seed(seed)))
    return part.requires_grad_(False)
