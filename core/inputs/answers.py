"""What a decoder reads when its answer is given: the pieces an answer begins with, then those of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from core.errors import CoreError
from core.inputs.sample import Sample


@runtime_checkable
class Answering(Protocol):
    """A reader that also knows the pieces of answers."""

    @property
    def specials(self) -> frozenset[int]:
        """The ids of pieces that stand for no text."""

    def of_ids(self, ids: Sequence[int]) -> Sample:
        """Return the sample of pieces that a model wrote."""

    def spelled(self, ids: Sequence[int]) -> tuple[str, str]:
        """Return the label of the last of some pieces, and the text of all."""

    def written(self, text: str) -> Sample:
        """Return the sample of a text that a model is to have written."""


def answer(reader: Answering, text: str, start: tuple[int, ...], limit: int = 0) -> Sample:
    """Return what a decoder reads before it writes the end of `text`: nothing closes it.

    `start` is what an answer begins with. Special pieces at the beginning of the text (a language, a task) take the
    place of those that follow the first piece of `start`.

    Raises:
        CoreError: `no_start` where neither says how an answer begins; `too_long`.
    """
    found = reader.written(text)
    given = tuple(found.ids[:1].tolist())
    begun = start[:1] if given and given[0] in reader.specials else start
    if not begun and not (given and given[0] in reader.specials):
        raise CoreError("no_start", name=text[:40])
    found = joined(reader.of_ids(begun[: 0 if given == begun[:1] else None]), found)
    if limit and len(found) > limit:
        raise CoreError("too_long", came=len(found), allowed=limit)
    return found


def joined(one: Sample, other: Sample) -> Sample:
    """Return two samples one after the other, as a sample of the second one's text."""
    shown = ("pieces", "labels", "spans", "words", "characters", "kinds", "parts")
    tuples = {name: getattr(one, name) + getattr(other, name) for name in shown}
    return replace(other, ids=np.concatenate((one.ids, other.ids)), **tuples)
