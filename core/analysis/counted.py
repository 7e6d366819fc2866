"""What a model takes, by the formulas of its parts: for the run of a trace, and as the text grows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import nn

from core.analysis.parting import head, kind_of, parts
from core.cost import PARTS, Part, Rows, Work, needed, plain
from core.mixers import HeadNorms
from core.models import Model
from core.positions.buckets import Buckets
from core.positions.disentangled import DistanceRows
from core.tracing import Trace

FARTHEST = 100_000_000


@dataclass(frozen=True, kw_only=True)
class Portion:
    """What all parts of one `kind` take together in the run of a trace: in their plain form (`work`), and the
    operations that are left without hidden cells (`needed`); `weights` are the bytes of their parameters."""

    kind: str
    work: Work
    needed: int
    weights: int


def portions(found: Trace) -> tuple[Portion, ...]:
    """Return what the run of a trace takes, kind of part by kind of part, with its logits."""
    given = [*_met(found), (head(found.model), _judged(found))]
    held = weights(found.model)
    told = []
    for kind in PARTS:
        some = [([part for part in every if part.kind == kind], rows) for every, rows in given]
        work = sum((plain(every, rows) for every, rows in some), Work())
        left = sum(needed(every, rows).total for every, rows in some)
        if work.total or kind in held:
            told.append(Portion(kind=kind, work=work, needed=left, weights=held.get(kind, 0)))
    return tuple(told)


def whole(found: Trace) -> tuple[Work, Work]:
    """Return what the run of a trace takes in its plain form, and what its logits take, by formula."""
    walked = sum((plain(every, rows) for every, rows in _met(found)), Work())
    return walked, plain(head(found.model), _judged(found))


def weights(model: Model) -> dict[str, int]:
    """Return the bytes of a model's parameters by what they are for; one that is used twice counts where it is met
    first."""
    held: dict[str, int] = {}
    seen: set[int] = set()
    for kind, module in _owners(model):
        for one in module.parameters():
            if id(one) not in seen:
                seen.add(id(one))
                held[kind] = held.get(kind, 0) + one.numel() * one.element_size()
    return held


def _owners(model: Model) -> Iterator[tuple[str, nn.Module]]:
    """Yield every module that has parameters, with its kind; what is part of another comes before it."""
    for name in model.sides:
        side = model.side(name)
        yield "embedding", side.embed
        for layer in side.layers:
            for child in layer.children():
                yield from _inside(child)
                yield kind_of(child), child
        yield "embedding", side.final
    if model.network.output is not None:
        yield "head", model.network.output


def _inside(child: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield what a mixer has of another kind: its tables of distances, and norms of queries and keys."""
    for part in child.modules():
        if isinstance(part, Buckets | DistanceRows):
            yield "positions", part
        elif isinstance(part, HeadNorms):
            yield "stream", part


def _met(found: Trace) -> list[tuple[tuple[Part, ...], Rows]]:
    """Return the parts of every side with the rows that go through them."""
    model = found.model
    length = {side: len(found.hidden(0, side)) for side in model.sides}
    source = length.get("encoder", 0)
    given = {side: Rows(own=own, source=source, distances=_distances(model, own)) for side, own in length.items()}
    return [(parts(model, side), rows) for side, rows in given.items()]


def _judged(found: Trace) -> Rows:
    """Return the rows that the output head speaks of."""
    last = len(found.hidden(0, found.model.sides[-1]))
    return Rows(own=last, judged=1 if found.model.whole else last)


def _distances(model: Model, length: int) -> int:
    """Return how many distances have a row in a text of this length."""
    for part in model.network.modules():
        if isinstance(part, DistanceRows):
            first, last = part.distances.within(length)
            return last + 1 - first
    return 0


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
