"""Many sentences translated at once, always the likeliest word, and how sure the model was of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.changes import Change
from core.errors import CoreError
from core.models import Model
from core.training.batches import Marks, padded
from core.training.language import split_english, vocabulary
from core.walk import Walk, padding_rule, walk_over

AT_ONCE = 250
LIMIT = 32
MARKS = Marks()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What was written, word by word, and the probability of the word that the model was least sure of."""

    words: tuple[str, ...]
    least: float


def answers(model: Model, sentences: Sequence[str], changes: tuple[Change, ...] = ()) -> list[Answer]:
    """Return the greedy translation of every sentence, in their order; its end counts among what is least sure.

    Raises:
        CoreError: `no_output` for a model that cannot write.
    """
    order = sorted(range(len(sentences)), key=lambda number: len(sentences[number]))
    found: dict[int, Answer] = {}
    for start in range(0, len(order), AT_ONCE):
        numbers = order[start : start + AT_ONCE]
        found |= zip(numbers, _translated(model, [sentences[number] for number in numbers], changes), strict=True)
    return [found[number] for number in range(len(sentences))]


@torch.no_grad()
def _translated(model: Model, sentences: Sequence[str], changes: tuple[Change, ...]) -> Iterator[Answer]:
    """Yield the answers of one batch; `sure` is the log-probability of every piece [sentence, position]."""
    keep, pieces = _reading(model, sentences)
    read = walk_over(keep, ids=pieces, changes=changes)
    source = model.side("encoder")(read)
    ids = torch.full((len(sentences), 1), MARKS.start, device=model.device)
    done, sure = torch.zeros(len(sentences), dtype=torch.bool, device=model.device), []
    while not bool(done.all()) and ids.shape[1] <= LIMIT:
        best, written = _next(model, ids, read, source)
        sure.append(best.masked_fill(done, 0.0))
        ids = torch.cat((ids, written.masked_fill(done, MARKS.end)[:, None]), dim=1)
        done = done | (written == MARKS.end)
    least = torch.stack(sure, dim=1).amin(dim=1).exp()
    for row, share in zip(ids[:, 1:].tolist(), least.tolist(), strict=True):
        yield Answer(words=_words(row), least=share)


def _next(model: Model, ids: Tensor, read: Walk, source: Tensor) -> tuple[Tensor, Tensor]:
    """Return the likeliest next piece of every sentence, after its log-probability."""
    writes = walk_over(torch.ones_like(ids, dtype=torch.bool), ids=ids, changes=read.changes)
    hidden = padding_rule(read.keep, rows=writes.keep)
    final = model.side("decoder")(replace(writes, source=source, source_padding=hidden))
    logits = model.logits(final[:, -1:])
    if logits is None:
        raise CoreError("no_output", name=model.name)
    best, written = logits[:, 0].float().log_softmax(dim=-1).max(dim=-1)
    return best, written


def _reading(model: Model, sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
    places = {word: number for number, word in enumerate(vocabulary().english)}
    rows = [[places.get(word, MARKS.unknown) for word in split_english(one)] + [MARKS.end] for one in sentences]
    ids = padded(rows, MARKS.padding).to(model.device)
    return ids != MARKS.padding, ids


def _words(row: Sequence[int]) -> tuple[str, ...]:
    ends = row.index(MARKS.end) if MARKS.end in row else len(row)
    return tuple(vocabulary().french[ident] for ident in row[:ends])
