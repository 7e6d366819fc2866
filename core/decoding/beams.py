"""Beam search: several beginnings of an answer are kept in view at once, and the likeliest answer wins (Graves 2012,
section 2.5; Sutskever et al. 2014, section 3.2).

A finished answer is worth its log probability divided by its length to the power of `length_penalty`, as published with
the Transformer's successors (Wu et al. 2016, section 7, have another form of the same idea): 0 favours short answers,
more than 1 long ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from core.changes import Change
from core.decoding.entering import begun, writable
from core.decoding.writer import Writer
from core.errors import CoreError
from core.inputs import Batch, Sample
from core.models import Model

MOST_BEAMS = 16
ALIVE, DROPPED, FINISHED, WINNER = "alive", "dropped", "finished", "winner"


@dataclass(frozen=True, kw_only=True)
class Node:
    """One piece of one beginning.

    `number` is its place in the tree, `parent` that of the piece before (None: the answer's start), `depth` its step.
    `log_probability` is its own, `total` that of the beginning up to it (natural logarithms), `score` the total over
    the length to the power of the penalty. `fate` is "winner" on the winning path, "finished" for the end of another
    answer, "dropped" where no continuation was kept, "alive" otherwise.
    """

    number: int
    parent: int | None
    depth: int
    ident: int
    label: str
    log_probability: float
    total: float
    score: float
    fate: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Tree:
    """Every beginning that was looked at: the `beams` that were kept at each step, and the finished answers.

    `winner` are the numbers of the winning path from the first piece, `ids` its pieces. `answered` is the sample with
    the winner as its target: a trace of it has the cross-attention of the winning answer, row by row.
    """

    nodes: tuple[Node, ...]
    winner: tuple[int, ...]
    score: float
    beams: int
    length_penalty: float
    answered: Sample

    @property
    def ids(self) -> tuple[int, ...]:
        """The pieces of the winning answer."""
        return tuple(self.nodes[number].ident for number in self.winner)

    def path(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the nodes from the first piece to this one."""
        return _path(self.nodes, number)


def search(model: Model, sample: Sample, changes: tuple[Change, ...] = (), **how: Any) -> Tree:
    """Search for a likely answer: what `searching` says, at once.

    Raises:
        CoreError: what `searching` raises.
    """
    *_, found = searching(model, sample, changes, **how)
    if not isinstance(found, Tree):
        raise TypeError(type(found).__name__)
    return found


def searching(
    model: Model,
    sample: Sample,
    changes: tuple[Change, ...] = (),
    *,
    limit: int = 20,
    beams: int = 4,
    length_penalty: float = 1.0,
    stop: Collection[int] | None = None,
) -> Iterator[int | Tree]:
    """Search for a likely answer of up to `limit` pieces, with `beams` beginnings in view: yield after every step how
    many pieces long they are, and the tree at last.

    Pieces of `stop` end an answer (as it stands, those that the folder names). The search ends when no beginning, at
    its present length, is worth more than the worst of as many finished answers, as in the published libraries.

    Raises:
        CoreError: what `generate` raises; `beams` for fewer than one or more than 16.
    """
    writable(model)
    ids = begun(model, sample)
    if not 1 <= beams <= MOST_BEAMS:
        raise CoreError("beams", came=beams, allowed=f"1 … {MOST_BEAMS}")
    room = model.spec.positions - len(ids) if model.spec.positions else limit
    ends = model.spec.ends if stop is None else frozenset(stop)
    found = Search(beams=beams, penalty=length_penalty, limit=min(limit, room), ends=ends)
    writer = Writer(model, Batch(samples=(sample,)), changes)
    return _grown(model, sample, found, writer, ids.tolist())


def _grown(model: Model, sample: Sample, found: Search, writer: Writer, ids: list[int]) -> Iterator[int | Tree]:
    yield from found.run(writer, torch.tensor([ids], device=model.device))
    yield _tree(model, sample, ids, found)


class Search:
    """A search in progress: the nodes so far, which of them are in view, and the finished answers, best first."""

    def __init__(self, *, beams: int, penalty: float, limit: int, ends: Collection[int]) -> None:
        self.beams, self.penalty, self.limit, self.ends = beams, penalty, limit, ends
        self.nodes: list[Node] = []
        self.finished: list[Node] = []

    def run(self, writer: Writer, new: Tensor) -> Iterator[int]:
        """Go on, a piece at a time, until nothing better can be found; yield how many pieces there are."""
        view: list[Node] = []
        for depth in range(self.limit):
            rows, view = self._step(writer, new, view, depth)
            yield depth + 1
            if not view or self._settled(view[0], depth + 1):
                return
            writer.take(torch.tensor(rows, device=new.device))
            new = torch.tensor([[node.ident] for node in view], device=new.device)

    def _step(self, writer: Writer, new: Tensor, view: list[Node], depth: int) -> tuple[list[int], list[Node]]:
        """Read one more piece of all that is in view, and keep the best continuations."""
        final = writer.read(new)[:, -1]
        logs = torch.log_softmax(writer.logits(final).float(), dim=-1)
        best = self._best(writer.allowed(logs, first=depth == 0), logs, view, depth)
        last = depth + 1 == self.limit
        self._finish([node for node in best[: self.beams] if last or node.ident in self.ends])
        return self._next(best, view, last)

    def _best(self, allowed: Tensor, logs: Tensor, view: Sequence[Node], depth: int) -> list[Node]:
        """Return the likeliest continuations of all that is in view: enough of them that `beams` go on."""
        before = torch.tensor([node.total for node in view] or [0.0], device=logs.device)
        totals = (allowed + before[:, None]).flatten()
        kept = min(max(2, 1 + len(self.ends)) * self.beams, int(totals.isfinite().sum()))
        best = totals.topk(kept)
        return [
            self._node(logs, view, depth, int(index), float(total))
            for index, total in zip(best.indices, best.values, strict=True)
        ]

    def _node(self, logs: Tensor, view: Sequence[Node], depth: int, index: int, total: float) -> Node:
        row, ident = divmod(index, logs.shape[1])
        return Node(
            number=-1,
            parent=view[row].number if view else None,
            depth=depth,
            ident=ident,
            label="",
            log_probability=float(logs[row, ident]),
            total=total,
            score=total / (depth + 1) ** self.penalty,
            fate=ALIVE,
        )

    def _finish(self, ends: Sequence[Node]) -> None:
        """Keep finished answers, the best `beams` of them in order."""
        known = [self._add(replace(node, fate=FINISHED)) for node in ends]
        self.finished = sorted((*self.finished, *known), key=lambda node: -node.score)[: self.beams]

    def _next(self, best: Sequence[Node], view: Sequence[Node], last: bool) -> tuple[list[int], list[Node]]:
        """Return the rows of the batch that go on, and the nodes that they go on with."""
        if last:
            return [], []
        going = [node for node in best if node.ident not in self.ends][: self.beams]
        places = {node.number: row for row, node in enumerate(view)}
        rows = [0 if node.parent is None else places[node.parent] for node in going]
        return rows, [self._add(node) for node in going]

    def _settled(self, best: Node, length: int) -> bool:
        """Whether no beginning can still be worth more than the worst of enough finished answers."""
        full = len(self.finished) == self.beams
        return full and best.total / length**self.penalty <= self.finished[-1].score

    def _add(self, node: Node) -> Node:
        kept = replace(node, number=len(self.nodes))
        self.nodes.append(kept)
        return kept


def _tree(model: Model, sample: Sample, begun: list[int], found: Search) -> Tree:
    """Return the finished search: labels and fates are known now."""
    best = found.finished[0]
    winner = _path(found.nodes, best.number)
    parents = {node.parent for node in found.nodes}
    labels = model.reader.of_ids([node.ident for node in found.nodes]).labels
    ids = [*begun, *(found.nodes[number].ident for number in winner)]
    closed = ids[:-1] if ids[-1] in found.ends else ids
    return Tree(
        nodes=tuple(
            replace(node, label=label, fate=_fate(node, winner, parents))
            for node, label in zip(found.nodes, labels, strict=True)
        ),
        winner=winner,
        score=best.score,
        beams=found.beams,
        length_penalty=found.penalty,
        answered=_answered(model, sample, closed),
    )


def _answered(model: Model, sample: Sample, ids: list[int]) -> Sample:
    """Return the sample with its answer; where one side reads and writes, the whole text."""
    written: Sample = model.reader.of_ids(ids)
    return replace(sample, target=written) if "encoder" in model.sides else written


def _fate(node: Node, winner: Sequence[int], parents: Collection[int | None]) -> str:
    if node.number in winner:
        return WINNER
    if node.fate == FINISHED or node.number in parents:
        return node.fate
    return DROPPED


def _path(nodes: Sequence[Node], number: int) -> tuple[int, ...]:
    """Return the numbers of the nodes from the first piece to one."""
    found = [number]
    while (parent := nodes[found[0]].parent) is not None:
        found.insert(0, parent)
    return tuple(found)
