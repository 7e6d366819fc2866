"""How an answer was written: at every step what was likely to come next, and how sure the model was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.analysis.maps import Numbers
from core.errors import CoreError
from core.tracing import Trace

Probabilities = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Next:
    """A piece that might come next, and its probability over the whole vocabulary."""

    ident: int
    label: str
    probability: float


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One step of writing.

    `row` is the position that looks: the piece written before, or what an answer begins with. `written` is what was
    written, `best` the likeliest pieces, best first; `entropy` is that of the whole distribution in bits. `text` is
    what stands there when the step is done, `closes` whether the piece ended the answer.
    """

    row: int
    written: Next
    best: tuple[Next, ...]
    entropy: float
    text: str
    closes: bool


@dataclass(frozen=True, kw_only=True)
class Writing:
    """An answer and every step of it; `pieces` is how many there were to choose from."""

    text: str
    pieces: int
    moments: tuple[Moment, ...]

    @property
    def least(self) -> Moment:
        """The step whose piece was least likely."""
        return min(self.moments, key=lambda moment: moment.written.probability)

    @property
    def ended(self) -> bool:
        """Whether the answer was closed, and not cut off."""
        return self.moments[-1].closes


def writing(trace: Trace, best: int = 10) -> Writing:
    """Return how the answer of an encoder-decoder was written; its last step is what would have come next.

    Raises:
        CoreError: `no_answer` for a model that does not answer in pieces.
    """
    answer, spec = trace.sample.target, trace.model.spec
    if answer is None or trace.model.classifies or trace.model.network.output is None:
        raise CoreError("no_answer", name=trace.model.name)
    ids, begun = [int(ident) for ident in answer.ids], max(1, len(spec.start))
    rows = range(begun - 1, len(ids))
    chances = probabilities(trace.logits(list(rows)))
    banned = spec.never | (spec.never_first if len(rows) == 1 else frozenset())
    following = [*ids[begun:], _likeliest(chances[-1], banned)]
    moments = tuple(
        _moment(trace, row, chances[number], [*ids[begun : row + 1], following[number]], best)
        for number, row in enumerate(rows)
    )
    return Writing(text=answer.text, pieces=chances.shape[1], moments=moments)


def probabilities(logits: Numbers) -> Probabilities:
    """Return the softmax of logits [row, piece] in float64."""
    raised = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    found: Probabilities = raised / raised.sum(-1, keepdims=True)
    return found


def looks(trace: Trace, side: str) -> Numbers:
    """Return every head of a side exactly [layer, head, query, key], for texts as short as a sentence.

    Raises:
        CoreError: `unknown_side`.
    """
    heads = [[trace.pattern(n, h, side) for h in range(a.shape[0])] for n, a in trace.looking(side).items()]
    return np.asarray(heads, dtype=np.float32)


def vocabulary(trace: Trace) -> tuple[str, ...]:
    """Return what a model can read: every piece of the source that is not special, as people see it."""
    reader = getattr(trace.model.reader, "source", trace.model.reader)
    everything = reader.of_ids(range(trace.model.spec.pieces))
    named = zip(everything.labels, everything.kinds, strict=True)
    return tuple(label for label, kind in named if kind not in ("special", "unknown"))


def _moment(trace: Trace, row: int, chances: Probabilities, written: list[int], best: int) -> Moment:
    order = np.argsort(-chances, kind="stable")[:best]
    labels = trace.model.reader.of_ids([*map(int, order), written[-1]]).labels
    named = [
        Next(ident=int(ident), label=label, probability=float(chances[ident]))
        for ident, label in zip([*order, written[-1]], labels, strict=True)
    ]
    return Moment(
        row=row,
        written=named[-1],
        best=tuple(named[:-1]),
        entropy=_entropy(chances),
        text=trace.model.reader.of_ids(written).text,
        closes=written[-1] in trace.model.spec.ends,
    )


def _likeliest(chances: Probabilities, banned: frozenset[int]) -> int:
    allowed = chances.copy()
    allowed[sorted(banned)] = -1.0
    return int(allowed.argmax())


def _entropy(chances: Probabilities) -> float:
    some = chances[chances > 0]
    return float(-(some * np.log2(some)).sum())
