"""Where the heads look: from the pronoun and from the adjective, to the noun that is meant or to the other one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.changes import Change
from core.inputs import read
from core.models import Model
from core.tracing import Trace, trace
from core.training.language import Pair, minimal_pairs

Shares = NDArray[np.float64]


def head_figures(model: Model, *, seed: int, count: int, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return for every head of the encoder how it looks in minimal pairs about nouns that never stood together.

    Under "it" and "adjective" [layer][head]: the mean share of the antecedent and of its rival, and in how many
    sentences the antecedent has more. Under "cross" the same at the step in which il or elle is written, and what "it"
    and the adjective get.
    """
    told = [pair for both in minimal_pairs(seed, count) for pair in both]
    traces = [trace(model, read(model, pair.english, target=pair.french), changes) for pair in told]
    return {
        "sentences": len(told),
        "it": _heads(traces, told, "encoder", "it", ("antecedent", "rival")),
        "adjective": _heads(traces, told, "encoder", "adjective", ("antecedent", "rival")),
        "cross": _heads(traces, told, "cross", "french_pronoun", ("antecedent", "rival", "it", "adjective")),
    }


def maps(model: Model, text: str, answer: str, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return every head's pattern for one sentence and its right translation, as [layer][head][row][column].

    Rows look, columns are looked at; the shares are rounded to three digits. `read` and `written` are the labels.
    """
    seen = trace(model, read(model, text, target=answer), changes)
    labels = {
        "read": list(seen.sample.labels),
        "written": list(seen.sample.target.labels if seen.sample.target else ()),
    }
    return labels | {side: _maps(seen, side) for side in ("encoder", "cross")}


def telling(heads: Sequence[Sequence[dict[str, float]]]) -> tuple[int, int]:
    """Return layer and head of the one that gives the antecedent most before its rival."""
    places = [(layer, head) for layer, row in enumerate(heads) for head in range(len(row))]
    return max(places, key=lambda at: heads[at[0]][at[1]]["antecedent"] - heads[at[0]][at[1]]["rival"])


def _maps(seen: Trace, side: str) -> list[list[list[list[float]]]]:
    heads = range(seen.layer(0, side).shape[0])
    return [
        [np.round(seen.pattern(layer, head, side).astype(float), 3).tolist() for head in heads]
        for layer in range(len(seen.layers(side)))
    ]


def _heads(
    traces: Sequence[Trace], told: Sequence[Pair], side: str, looks: str, at: Sequence[str]
) -> list[list[dict[str, float]]]:
    """Return what every head of a side gives, from the place that a pair calls `looks`, to the places `at`."""
    layers = range(len(traces[0].layers(side)))
    heads = range(traces[0].layer(0, side).shape[0])
    return [[_head(_shares(traces, told, side, (layer, head), looks, at), at) for head in heads] for layer in layers]


def _shares(
    traces: Sequence[Trace], told: Sequence[Pair], side: str, place: tuple[int, int], looks: str, at: Sequence[str]
) -> Shares:
    """Return the shares of one head [sentence, place looked at]."""
    rows = [
        one.pattern(*place, side, rows=[getattr(pair, looks)], columns=[getattr(pair, name) for name in at])[0]
        for one, pair in zip(traces, told, strict=True)
    ]
    return np.array(rows, dtype=np.float64)


def _head(shares: Shares, at: Sequence[str]) -> dict[str, float]:
    means = {name: round(float(mean), 4) for name, mean in zip(at, shares.mean(axis=0), strict=True)}
    return means | {"preferred": round(float((shares[:, 0] > shares[:, 1]).mean()), 4)}
