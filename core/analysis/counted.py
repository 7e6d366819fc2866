"""A model as a list of parts that cost something: what follows from its modules, without running it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from core.blocks import ClassHead
from core.blocks.experts import Experts
from core.cost.parts import Part, Rows, needed, plain
from core.masks import Both, Rule, Window
from core.mixers import SelfAttention
from core.mixers.attention import CrossAttention
from core.mixers.statespace import StateSpace
from core.models import Model
from core.models.plan import Side
from core.tracing import Trace

FARTHEST = 100_000_000


def parts(model: Model, side: str) -> tuple[Part, ...]:
    """Return the parts of one side of a model, in the order in which they are met."""
    return tuple(_side(model.side(side)))


def head(model: Model) -> tuple[Part, ...]:
    """Return the parts of the output head."""
    output = model.network.output
    rows = "judged" if isinstance(output, ClassHead) else "own"
    return () if output is None else tuple(_matrices(output, "head", None, rows))


def _side(side: Side) -> Iterator[Part]:
    yield from _matrices(side.embed, "embedding", None)
    for number, layer in enumerate(side.layers):
        yield from _parts(layer, number)


def _parts(module: nn.Module, layer: int) -> Iterator[Part]:
    for child in module.children():
        if isinstance(child, SelfAttention):
            yield from _attention(child, layer)
        elif isinstance(child, StateSpace):
            yield from _matrices(child, "projections", layer)
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
    if isinstance(part, nn.Conv1d | nn.Conv2d):
        return part.weight.numel()
    return 0


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
