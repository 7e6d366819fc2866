"""What telling positions apart takes, number by number: angles and turns at the heads, biases at the scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.cost import Part, between
from core.mixers import CrossAttention, SelfAttention
from core.mixers.disentangled import DisentangledAttention
from core.models.plan import Side
from core.positions import Alibi, Neighbours, Rotary
from core.positions.buckets import Buckets
from core.positions.disentangled import DistanceRows, Distances
from core.positions.scalings import ByWavelength, Divided, Dynamic, Linear, LongRope, Scaling, Yarn

#: How many operations a frequency takes, and what is computed once beside them: what each way of stretching writes.
FREQUENCIES: dict[type[Scaling], tuple[int, int]] = {
    Scaling: (4, 0),
    Linear: (5, 0),
    Divided: (5, 0),
    Dynamic: (4, 5),
    LongRope: (7, 0),
    Yarn: (15, 0),
    ByWavelength: (16, 0),
}
RANGES, DISTANCES, ENDS = 4, 6, 13


def at_sides(side: Side) -> Iterator[Part]:
    """Yield what one side computes once for all of its layers: the angles of every scheme, and rows of distances."""
    mixers = [part for part in side.modules() if isinstance(part, SelfAttention)]
    for scheme in dict.fromkeys(_rotary(part) for part in mixers):
        if scheme is not None:
            each, once = FREQUENCIES[type(scheme.scaling)]
            half = scheme.head_width // 2
            yield Part(kind="positions", each=between.angles(scheme.head_width), once=each * half + once)
    for table in dict.fromkeys(part.table for part in mixers if isinstance(part, DisentangledAttention)):
        yield from _table(table)


def _table(table: DistanceRows) -> Iterator[Part]:
    width = table.rows.embedding_dim if table.norm is not None and list(table.norm.parameters()) else 0
    yield Part(kind="positions", rows="distances", each=width, once=_ends(table.distances))


def turned(part: SelfAttention, layer: int) -> Iterator[Part]:
    """Yield the turning of queries and keys."""
    scheme = _rotary(part)
    if scheme is not None:
        heads = part.heads.count + part.heads.groups
        yield Part(kind="positions", layer=layer, each=heads * between.turned(scheme.head_width))


def at_scores(part: SelfAttention, looking: Part) -> Iterator[Part]:
    """Yield the making of what is added to the scores, cell by cell of the same map; that it is added counts with
    `looking`."""
    heads, relative = part.heads.count, part.relative
    made = replace(looking, kind="positions", looking=0, shares=0)
    if isinstance(relative, Alibi):
        each, shares = (2 * heads, 0) if relative.coarse else (0, heads)
        once = between.slopes(heads) + (0 if relative.coarse else heads)
        yield replace(made, each=each, shares=shares, once=once)
    elif isinstance(relative, Buckets):
        yield replace(made, shares=RANGES)
    elif isinstance(part, DisentangledAttention):
        far = part.table.distances.farthest > 0
        shares = heads * (len(part.kinds) + 1) + DISTANCES * far
        yield replace(made, shares=shares, once=far + _ends(part.table.distances))


def _ends(distances: Distances) -> int:
    """Return what finding the first and the last row of distances takes: two of them."""
    return ENDS if distances.farthest else 0


def _rotary(part: SelfAttention) -> Rotary | None:
    scheme = None if isinstance(part, CrossAttention) else part.positions
    if isinstance(scheme, Neighbours):
        return scheme.rotary
    return scheme if isinstance(scheme, Rotary) else None
