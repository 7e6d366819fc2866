"""Writing: one piece after another, each chosen from what the model thinks of all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.changes import Change
from core.decoding.choosing import GREEDY, Choosing, Chosen, choose
from core.decoding.entering import begun, known, writable
from core.decoding.spelling import Spelling
from core.decoding.steps import LIMIT, POSITIONS, STOP, Logits, Shares, Step, thought
from core.decoding.stitching import added, upto
from core.decoding.writer import Writer
from core.inputs import Batch, Sample
from core.models import Model
from core.tape import SILENT, Tape

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is wanted of a text: at most `limit` pieces, how they are chosen, which end it, which come first."""

    limit: int
    choosing: Choosing
    stop: frozenset[int]
    forced: tuple[int, ...] = ()
    watch: bool = False


def generate(
    model: Model,
    sample: Sample,
    changes: tuple[Change, ...] = (),
    *,
    limit: int = 20,
    choosing: Choosing = GREEDY,
    stop: Collection[int] = (),
    forced: Sequence[int] = (),
    watch: bool = False,
) -> Iterator[Step]:
    """Write up to `limit` pieces, as `choosing` says (as it stands, the likeliest): after the sample, or as an answer.

    An encoder-decoder answers from the pieces that its answers begin with, or goes on after the sample's target. A
    piece of `stop` is written and ends the text (`model.spec.ends` are those that the folder names; without any, an end
    piece is written like any other). `forced` pieces are written first, whatever the model thinks of them: with
    `branch`, another turn at some step of an earlier text. With `watch` every step has the rows that it added to every
    head's map. The last step says in `ended` why it is the last.

    Raises:
        CoreError: `not_a_writer` for a model that has no decoder, `classes_only` for one whose output is classes;
            `no_start` where nothing says how an answer begins; `no_pieces` or `id_out_of_range` for what it goes on
            after or is forced to write; `too_long` where there is no position left for a single piece.
    """
    writable(model)
    ids, wanted = begun(model, sample), tuple(forced)[: max(0, limit)]
    known(np.asarray(wanted, dtype=np.int64), model.spec.written_pieces)
    wish = Wish(limit=limit, choosing=choosing, stop=frozenset(stop), forced=wanted, watch=watch)
    tape = Tape(wanted=frozenset({"attention"})) if watch else SILENT
    return _steps(Writer(model, Batch(samples=(sample,)), changes, tape), ids, wish)


def together(
    model: Model,
    batch: Batch,
    changes: tuple[Change, ...] = (),
    *,
    limit: int = 20,
    choosing: Choosing = GREEDY,
    stop: Collection[int] = (),
) -> Iterator[tuple[Step | None, ...]]:
    """Write after several samples at once; yield the next step of each, None for those that have ended.

    What each of them writes is what it would write alone: shorter ones are padded on the left, and nobody looks there.

    Raises:
        CoreError: what `generate` raises.
    """
    writable(model)
    texts = [begun(model, sample) for sample in batch.samples]
    wish = Wish(limit=limit, choosing=choosing, stop=frozenset(stop))
    return _rounds(Writer(model, batch, changes), texts, wish)


def _steps(writer: Writer, ids: Ids, wish: Wish) -> Iterator[Step]:
    """Yield the steps; pieces that are forced go in with what comes before them, in one pass."""
    text = Text(writer.model, ids, wish)
    new = [*ids.tolist(), *wish.forced[: text.most - 1]]
    looking, watch = len(new) - len(ids) + 1, wish.watch
    while text.most:
        for seen in _seen(writer, new, looking, watch):
            step = text.step(writer, *seen)
            yield step
            if step.ended:
                return
        new, looking = [step.ident], 1


def _seen(writer: Writer, new: list[int], count: int, watch: bool) -> Iterator[tuple[Tensor, Shares | None]]:
    """Read new pieces; yield the final state of each of the last `count`, and the rows that were added up to it."""
    final = writer.read(torch.tensor([new], device=writer.ids.device))[0]
    rows = added(writer.walk.tape, len(new), writer.length) if watch else None
    top = 0
    for place in range(len(new) - count, len(new)):
        yield final[place], None if rows is None else upto(rows, top, place + 1, len(new))
        top = place + 1


def _rounds(writer: Writer, texts: list[Ids], wish: Wish) -> Iterator[tuple[Step | None, ...]]:
    """Yield the steps of all texts, round by round; those that have ended go along and are not listened to."""
    padded = Batch(samples=tuple(Sample.from_ids(ids) for ids in texts), padding="left").arrays()
    new, keep = (torch.from_numpy(part).to(writer.ids.device) for part in (padded[0], padded[2]))
    writing: list[Text | None] = [Text(writer.model, ids, wish) for ids in texts]
    while any(writing):
        final = writer.read(new, keep)[:, -1]
        pairs = zip(writing, final, strict=True)
        steps = tuple(None if text is None else text.step(writer, state, None) for text, state in pairs)
        yield steps
        writing = [text if step and not step.ended else None for text, step in zip(writing, steps, strict=True)]
        new = torch.tensor([[step.ident if step else 0] for step in steps], device=writer.ids.device)
        keep = torch.ones_like(new, dtype=torch.bool)


class Text:
    """How far one text has been written; `most` is how many pieces there is room for."""

    def __init__(self, model: Model, ids: Ids, wish: Wish) -> None:
        self.model, self.wish, self.first, self.number = model, wish, len(ids), 0
        room = model.spec.positions - len(ids) if model.spec.positions else wish.limit
        self.most = max(0, min(wish.limit, room))
        self.spelling = Spelling(model.reader, ids.tolist())

    @torch.inference_mode()
    def step(self, writer: Writer, state: Float[Tensor, " width"], rows: Shares | None) -> Step:
        """Choose the next piece from the final state before it."""
        number, position, state = self.number, self.first + self.number, state.clone()
        logits = writer.logits(state[None])
        forced = number < len(self.wish.forced)
        if forced:
            chosen = Chosen(self.wish.forced[number], 1.0)
        else:
            chosen = choose(writer.allowed(logits, first=number == 0)[0], self.wish.choosing, position)
        self.number, spelled = number + 1, self.spelling.take(chosen.ident)
        return Step(
            ident=chosen.ident,
            position=position,
            chance=chosen.chance,
            forced=forced,
            label=spelled.label,
            text=spelled.text,
            ended=self._ended(chosen.ident, forced),
            rows=rows,
            score=partial(scored, self.model, state),
            **thought(logits[0], chosen.ident)._asdict(),
        )

    def _ended(self, ident: int, forced: bool) -> str | None:
        if ident in self.wish.stop and not forced:
            return STOP
        if self.number < self.most:
            return None
        return LIMIT if self.most == self.wish.limit else POSITIONS


@torch.inference_mode()
def scored(model: Model, state: Float[Tensor, " width"]) -> Logits:
    """Return the logits [piece] after a final state."""
    found = model.logits(state[None, None])
    return np.zeros(0, np.float32) if found is None else found[0, 0].float().cpu().numpy()
