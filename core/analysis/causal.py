"""The mask: what it takes away, why nothing in a sentence knows how it goes on, and what that makes possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.analysis.maps import Numbers, axes
from core.errors import CoreError
from core.inputs import read
from core.masks import Causal, Everyone, Prefix, Rule, Window
from core.mixers import softmax
from core.mixers.softmax import Attention
from core.tracing import Trace, trace

ROWS = 64


@dataclass(frozen=True, kw_only=True, eq=False)
class Masked:
    """One head before and after the mask, each [query, key].

    `scores` are all of them, `kept` those that the rule `allowed`, NaN elsewhere; `pattern` are the shares of these,
    `unmasked` the shares if everybody could look anywhere, and `ahead` [query] how much of those would go to what the
    rule forbids. `kind` names the rule (everyone, causal, window, other) and `window` says how many keys a window has.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    scores: Numbers
    kept: Numbers
    allowed: NDArray[np.bool_]
    pattern: Numbers
    unmasked: Numbers
    ahead: Numbers
    kind: str
    window: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Beginnings:
    """Two texts that begin alike: the labels of the common tokens, and for each of them the largest difference between
    the two runs, over all layers and heads of its rows' shares [position], and of its states [position].

    `first` and `second` are what comes next in each. Under a causal rule nothing differs but rounding.
    """

    labels: tuple[str, ...]
    first: str
    second: str
    shares: Numbers
    states: Numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Foreseen:
    """What one pass says at every position about the next one: its label, the probability it was given [position], how
    many pieces were likelier [position], and the likeliest piece with its probability.

    `loss` is the mean of -log(probability): what training makes smaller, at all positions at once.
    """

    labels: tuple[str, ...]
    next_labels: tuple[str, ...]
    probability: Numbers
    rank: NDArray[np.int64]
    best_labels: tuple[str, ...]
    best: Numbers
    loss: float


@torch.no_grad()
def masked(found: Trace, layer: int, head: int, side: str | None = None) -> Masked:
    """Return the scores of one head as they are and as the mask leaves them (Vaswani et al. 2017, section 3.2.3).

    Raises:
        CoreError: `out_of_range`, `unknown_side` or `no_pattern`.
    """
    pattern, given = found.pattern(layer, head, side), found.layer(layer, side)
    bare = replace(given, rule=Everyone())
    scores, shares = (_head(ask(bare), head) for ask in (softmax.scores, softmax.pattern))
    allowed: NDArray[np.bool_] = softmax.allowed(given)[0, 0].cpu().numpy()
    rows, columns = axes(found, side, "pieces", "show")
    kind, window = _kind(given)
    return Masked(
        rows=rows.labels,
        columns=columns.labels,
        scores=scores,
        kept=np.where(allowed, scores, np.nan).astype(np.float32),
        allowed=allowed,
        pattern=pattern,
        unmasked=shares,
        ahead=np.where(allowed, 0, shares).sum(-1, dtype=np.float32),
        kind=kind,
        window=window,
    )


def variants(length: int, *, window: int = 4, prefix: int = 3) -> dict[str, NDArray[np.bool_]]:
    """Return who may look at whom under each kind of rule [query, key]: everyone (an encoder), causal, a sliding window
    of what came before, and a prefix that is read as a whole before anything is written."""
    rules: dict[str, Rule] = {
        "everyone": Everyone(),
        "causal": Causal(),
        "window": Causal() & Window(size=window),
        "prefix": Causal() | Prefix(count=prefix),
    }
    places = torch.arange(length)
    return {name: rule.at(places, places)[0].numpy() for name, rule in rules.items()}


def beginnings(found: Trace, text: str, side: str | None = None) -> Beginnings:
    """Compare a trace with that of another text over the tokens that both begin with.

    Raises:
        CoreError: `no_common_start` where not even the first token is the same; what `read` and `trace` raise.
    """
    other = trace(found.model, read(found.model, text))
    one, two = found.sample, other.sample
    same = one.ids[: len(two)] == two.ids[: len(one)]
    count = len(same) if same.all() else int(same.argmin())
    if not count:
        raise CoreError("no_common_start", first=one.labels[0], second=two.labels[0])
    shares = [_apart(found, other, layer, heads, count, side) for layer, heads in _looking(found, side)]
    pairs = zip(found.hiddens[found.model.sides[0]], other.hiddens[other.model.sides[0]], strict=True)
    states = [(a[0, :count] - b[0, :count]).abs().amax(-1).float().cpu().numpy() for a, b in pairs]
    return Beginnings(
        labels=one.labels[:count],
        first="".join(one.labels[count : count + 1]),
        second="".join(two.labels[count : count + 1]),
        shares=np.max(shares, axis=0, initial=0),
        states=np.max(states, axis=0),
    )


def foreseen(found: Trace) -> Foreseen:
    """Return, from one pass, what every position expects next: training asks all of them at once, since no position can
    see its answer; writing has to wait for each piece, since it is what the next position reads.

    Raises:
        CoreError: `not_a_writer`, `classes_only`, `no_output`, or `one_token` where nothing follows.
    """
    model, sample = found.model, found.sample.target or found.sample
    if "decoder" not in model.sides:
        raise CoreError("not_a_writer", name=model.name, came=model.spec.kind)
    if model.classifies:
        raise CoreError("classes_only", name=model.name)
    if len(sample) < 2:
        raise CoreError("one_token", came=len(sample))
    told = [_expected(found, rows, sample.ids) for rows in _chunks(len(sample) - 1)]
    probability, rank, best, which = (np.concatenate(parts) for parts in zip(*told, strict=True))
    return Foreseen(
        labels=sample.labels[:-1],
        next_labels=sample.labels[1:],
        probability=np.exp(probability).astype(np.float32),
        rank=rank,
        best_labels=tuple(model.reader.of_ids([int(ident)]).labels[0] for ident in which),
        best=best,
        loss=float(-probability.mean()),
    )


def _looking(found: Trace, side: str | None) -> Iterator[tuple[int, int]]:
    for number, layer in found.looking(side).items():
        yield number, layer.shape[0]


def _apart(one: Trace, other: Trace, layer: int, heads: int, count: int, side: str | None) -> Numbers:
    """Return the largest difference of a layer's shares between two traces in each common row [position]."""
    some = slice(count)
    pairs = ((one.pattern(layer, h, side, some, some), other.pattern(layer, h, side, some, some)) for h in range(heads))
    return np.max([np.abs(a - b).max(-1) for a, b in pairs], axis=0)


def _head(cells: torch.Tensor, head: int) -> Numbers:
    found: Numbers = cells[0, head].float().cpu().numpy()
    return found


def _kind(given: Attention) -> tuple[str, int]:
    """Return what kind of rule a layer has, and how wide its window is."""
    parts = set(_parts(given.rule))
    window = next((part.size for part in parts if isinstance(part, Window)), 0)
    kinds = {type(part) for part in parts}
    if kinds <= {Causal, Window} and kinds:
        return ("window" if window else "causal"), window
    return ("everyone" if kinds <= {Everyone} else "other"), window


def _parts(rule: Rule) -> Iterator[Rule]:
    halves = [getattr(rule, half) for half in ("first", "second") if hasattr(rule, half)]
    for half in halves:
        yield from _parts(half)
    if not halves:
        yield rule


def _chunks(count: int) -> Iterator[range]:
    for start in range(0, count, ROWS):
        yield range(start, min(start + ROWS, count))


def _expected(found: Trace, rows: range, ids: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Return the logarithm of the next piece's probability, how many are likelier, and the likeliest, per row."""
    logits = found.logits(list(rows)).astype(np.float64)
    logs = logits - logits.max(-1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(-1, keepdims=True))
    next_ids = ids[rows.start + 1 : rows.stop + 1, None]
    given = np.take_along_axis(logs, next_ids, axis=-1)
    which = logs.argmax(-1)
    best = np.exp(logs.max(-1)).astype(np.float32)
    return given[:, 0], (logs > given).sum(-1), best, which
