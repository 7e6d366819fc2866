"""A model as a list of parts that cost something: what follows from its modules, without running it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from core.analysis.mixing import mixed
from core.blocks import Frames, Patches
from core.blocks.experts import Experts
from core.cost import Part, Rows, Work, needed, plain
from core.masks import Both, Rule, Window
from core.mixers import SelfAttention
from core.mixers.attention import CrossAttention
from core.mixers.disentangled import DisentangledAttention
from core.mixers.statespace import StateSpace
from core.models import Model
from core.models.plan import Side
from core.positions.disentangled import DistanceRows
from core.tracing import Trace

FARTHEST = 100_000_000


def parts(model: Model, side: str) -> tuple[Part, ...]:
    """Return the parts of one side of a model, in the order in which they are met."""
    return tuple(_side(model.side(side)))


def head(model: Model) -> tuple[Part, ...]:
    """Return the parts of the output head, which meet the rows that it speaks of."""
    output = model.network.output
    return () if output is None else tuple(_matrices(output, "head", None, "judged"))


def whole(found: Trace) -> tuple[Work, Work]:
    """Return what the run of a trace takes in its plain form, and what its logits take, by formula."""
    model, length = found.model, {side: len(found.hidden(0, side)) for side in found.model.sides}
    source = length.get("encoder", 0)
    given = {side: Rows(own=own, source=source, distances=_distances(model, own)) for side, own in length.items()}
    walked = sum((plain(parts(model, side), rows) for side, rows in given.items()), Work())
    last = length[model.sides[-1]]
    return walked, plain(head(model), Rows(own=last, judged=1 if model.whole else last))


def _distances(model: Model, length: int) -> int:
    """Return how many distances have a row in a text of this length."""
    for part in model.network.modules():
        if isinstance(part, DistanceRows):
            first, last = part.distances.within(length)
            return last + 1 - first
    return 0


def _side(side: Side) -> Iterator[Part]:
    yield from _front(side.embed)
    for number, layer in enumerate(side.layers):
        for child in layer.children():
            yield from _child(child, number)
    yield from _matrices(side.final, "embedding", None)


def _front(embed: nn.Module) -> Iterator[Part]:
    """Yield what comes before the layers: sound is halved on the way, and a picture has rows that are no patches."""
    if isinstance(embed, Frames):
        yield Part(kind="embedding", matrix=2 * _numbers(embed.first) + _numbers(embed.second))
    elif isinstance(embed, Patches):
        yield Part(kind="embedding", matrix=_numbers(embed.cut), spared=1 if embed.taught is None else 2)
    else:
        yield from _matrices(embed, "embedding", None)


def _child(child: nn.Module, layer: int) -> Iterator[Part]:
    if isinstance(child, SelfAttention):
        yield from _attention(child, layer)
    elif isinstance(child, StateSpace):
        yield from _state(child, layer)
    elif isinstance(child, Experts):
        yield from _experts(child, layer)
    else:
        yield from _matrices(child, "feed_forward", layer)


def _attention(part: SelfAttention, layer: int) -> Iterator[Part]:
    heads, cross = part.heads, isinstance(part, CrossAttention)
    source = "source" if cross else "own"
    for name, rows in (("queries", "own"), ("keys", source), ("values", source), ("output", "own")):
        yield Part(kind="projections", layer=layer, rows=rows, matrix=_numbers(getattr(part, name)))
    yield Part(
        kind="looking",
        layer=layer,
        looking=heads.count * (heads.head_width + heads.read_width),
        columns=source,
        window=0 if cross else _window(part.rule),
        causal=not cross and part.causal,
    )
    if isinstance(part, DisentangledAttention):
        yield from _by_distance(part, layer)


def _by_distance(part: DisentangledAttention, layer: int) -> Iterator[Part]:
    """Yield the rows of distances, projected, and their products with queries and keys."""
    for kind, own, shared in (("c2p", part.row_keys, part.keys), ("p2c", part.row_queries, part.queries)):
        if kind in part.kinds:
            yield Part(kind="projections", layer=layer, rows="distances", matrix=_numbers(own or shared))
            looking = part.heads.count * part.heads.head_width
            yield Part(kind="looking", layer=layer, looking=looking, columns="distances")


def _state(part: StateSpace, layer: int) -> Iterator[Part]:
    """Yield a state: its products, and all else that each row computes on its way."""
    one, two = mixed(part, 1), mixed(part, 2)
    yield Part(kind="state", layer=layer, matrix=one.products // 2, scanned=two.each - one.each)


def _experts(part: Experts, layer: int) -> Iterator[Part]:
    yield Part(kind="feed_forward", layer=layer, matrix=_numbers(part.router))
    each = sum(_numbers(one) for one in part.experts[0].modules())
    yield Part(kind="feed_forward", layer=layer, matrix=part.chosen * each)


def _matrices(module: nn.Module, kind: str, layer: int | None, rows: str = "own") -> Iterator[Part]:
    for part in module.modules():
        if numbers := _numbers(part):
            yield Part(kind=kind, layer=layer, rows=rows, matrix=numbers)


def _numbers(part: nn.Module) -> int:
    """Return how many numbers of a matrix each row meets."""
    if isinstance(part, nn.Linear):
        return part.in_features * part.out_features
    return part.weight.numel() if isinstance(part, nn.Conv1d | nn.Conv2d) else 0


def _window(rule: Rule) -> int:
    """Return how many positions back a row looks, itself included; 0 where there is no window."""
    if isinstance(rule, Window):
        return rule.size
    return max(_window(rule.first), _window(rule.second)) if isinstance(rule, Both) else 0


@dataclass(frozen=True, kw_only=True)
class Growth:
    """What a model takes for texts of some `lengths`, in operations.

    `looking` [length] are the two products of attention with every cell, `seen` those without hidden cells, `straight`
    all that grows with the length alone, in the layers; `around` embeddings and output head. `cells` [length] counts
    the cells of one map. `overtakes` is the first length at which looking takes more than all else in the layers, None
    where it never does; `here` is the length of the trace.
    """

    here: int
    lengths: tuple[int, ...]
    cells: tuple[int, ...]
    looking: tuple[int, ...]
    seen: tuple[int, ...]
    straight: tuple[int, ...]
    around: tuple[int, ...]
    overtakes: int | None


def growth(found: Trace, lengths: Sequence[int]) -> Growth:
    """Return what the model of a trace takes for texts of some lengths; an encoder-decoder reads and writes as many."""
    model = found.model
    layered = [part for side in model.sides for part in parts(model, side) if part.layer is not None]
    others = [part for side in model.sides for part in parts(model, side) if part.layer is None]
    looking = [part for part in layered if part.kind == "looking"]
    straight = [part for part in layered if part.kind != "looking"]
    given = [Rows(own=length, source=length, judged=length) for length in lengths]
    return Growth(
        here=len(found.sample),
        lengths=tuple(lengths),
        cells=tuple(length * length for length in lengths),
        looking=tuple(plain(looking, rows).total for rows in given),
        seen=tuple(needed(looking, rows).total for rows in given),
        straight=tuple(plain(straight, rows).total for rows in given),
        around=tuple(plain([*others, *head(model)], rows).total for rows in given),
        overtakes=overtaken(looking, straight),
    )


def overtaken(looking: Sequence[Part], straight: Sequence[Part]) -> int | None:
    """Return the first length at which looking takes more than all that grows with the length alone, without hidden
    cells; None where that is not before FARTHEST."""

    def more(length: int) -> bool:
        rows = Rows(own=length, source=length, judged=length)
        return needed(looking, rows).total > needed(straight, rows).total

    if not more(FARTHEST):
        return None
    first = bisect_left(range(1, FARTHEST), True, key=more)
    return first + 1
