"""Two tasks that cannot be solved without remembering what was said: associative recall (Arora et al. 2023, "Zoology",
section 3) and induction (Olsson et al. 2022, section 2).

Recall: key value key value .. (a pause) .. key ? key ?: after each key its value is wanted.
Induction: a row of any symbols .. A B ..: when A comes again, B is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

KEYS, VALUES, BLANK = 64, 64, 0
PIECES = 1 + KEYS + VALUES
ASKED = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Exercise:
    """Rows of symbols [row, position], and what is wanted after each: 0 where nothing is asked."""

    given: Tensor
    wanted: Tensor


def recall(rows: int, *, pairs: int, length: int, source: torch.Generator) -> Exercise:
    """Return rows with `pairs` keys and their values, a pause, and up to eight questions at the end."""
    keys = _without_return(rows, KEYS, pairs, source) + 1
    values = torch.randint(VALUES, (rows, pairs), generator=source) + 1 + KEYS
    asked = _without_return(rows, pairs, min(pairs, ASKED), source)
    told = torch.stack((keys, values), dim=2).flatten(1)
    questions = torch.stack((keys.gather(1, asked), values.gather(1, asked)), dim=2).flatten(1)
    return _put_together(told, questions, length)


def induction(rows: int, *, length: int, source: torch.Generator, asked: int = 4) -> Exercise:
    """Return rows of symbols in which `asked` of them, each there once before the end, come again."""
    end = length - 2 * asked
    known = _without_return(rows, PIECES - 1, asked, source) + 1
    others = _others(known, end, source)
    places = 2 * _without_return(rows, end // 2, asked, source)
    told = others.scatter(1, places, known)
    followers = told.gather(1, places + 1)
    return _put_together(told, torch.stack((known, followers), dim=2).flatten(1), length)


def _others(known: Tensor, length: int, source: torch.Generator) -> Tensor:
    """Return symbols [row, length] of which none is known: drawn from a shuffled row that has the known ones last."""
    chance = torch.rand(len(known), PIECES - 1, generator=source)
    order = chance.scatter(1, known - 1, 2.0).argsort(dim=1) + 1
    drawn = torch.randint(PIECES - 1 - known.shape[1], (len(known), length), generator=source)
    return order.gather(1, drawn)


def _without_return(rows: int, among: int, count: int, source: torch.Generator) -> Tensor:
    return torch.rand(rows, among, generator=source).argsort(dim=1)[:, :count]


def _put_together(told: Tensor, questions: Tensor, length: int) -> Exercise:
    given = torch.full((len(told), length), BLANK)
    wanted = torch.full((len(told), length), BLANK)
    given[:, : told.shape[1]] = told
    given[:, length - questions.shape[1] :] = questions
    wanted[:, length - questions.shape[1] :: 2] = questions[:, 1::2]
    return Exercise(given=given, wanted=wanted)
