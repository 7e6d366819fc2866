"""The sentence of the Mixers page, and what each small model makes of it: computed once for whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import extras, words
from pages.plumbing.mixers import controls

LONGEST, WORDS, MOST = 300, 32, 512
_one_at_a_time = Lock()


@dataclass(frozen=True, kw_only=True, eq=False)
class Seen:
    """What one mixer takes from where in a sentence: shares [row, column] whose rows' sizes sum to one, not a number
    where the future is; how they were obtained; and its gates."""

    labels: tuple[str, ...]
    shares: Any
    how: str
    gates: Any


def sentence() -> str:
    """Show the box for the sentence and what is outside the vocabulary, and return the sentence."""
    with st.container(key="ask"):
        text = controls.typed("text", longest=LONGEST, height=68).strip()
        if not text:
            words.plain(words.t("mixers.blank"), "note", "blank")
            return extras.EXTRAS["mixers.text"].usual
        _marked(text)
    return text


def taught() -> tuple[str, ...]:
    """Return the mixers whose small model is here; where there are none, say so."""
    names = tuple(one.name for one in core.runs.sentences())
    everyone = [name for name, _ in core.analysis.spending.NAMES]
    missing = [controls.called(name) for name in everyone if name not in names]
    if not names:
        words.plain(words.t("mixers.none_taught"), "line", "missing")
    elif missing:
        words.plain(words.t("mixers.some_taught", names=words.t("mixers.comma").join(missing)), "note", "missing")
    return names


def seen(name: str, text: str, *, same: bool = False) -> Seen:
    """Return what a mixer takes from where in a sentence."""
    with _one_at_a_time:
        return _seen(name, text, same)


@lru_cache(maxsize=MOST)
def _seen(name: str, text: str, same: bool) -> Seen:
    model = core.runs.taught(name)
    trace = core.trace(model, _read(model, text)[0])
    found = core.analysis.influence(trace, 0, same=same)
    shares = found.shares.copy()
    if name in core.analysis.forgetting.CAUSAL:
        shares[np.triu_indices(len(shares), 1)] = np.nan
    labels = tuple(_label(trace.sample, place) for place in range(len(shares)))
    return Seen(labels=labels, shares=shares, how=found.how, gates=core.analysis.gates(trace, 0))


def _read(model: Any, text: str) -> tuple[core.Sample, int]:
    """Return as many words of a text as are read here, and how many are left out."""
    sample = core.read(model, text)
    count = len(sample) - 1
    if count <= WORDS:
        return sample, 0
    return core.read(model, sample.text[: (sample.spans[WORDS - 1] or (0, 0))[1]]), count - WORDS


def _label(sample: core.Sample, place: int) -> str:
    return f"{sample.surface(place)}*" if sample.kinds[place] == "unknown" else sample.labels[place]


def _marked(text: str) -> None:
    """Say how much of a long text is left out, and name the words that the small models do not know."""
    here = core.runs.sentences()
    if not here:
        return
    sample, left = _read(core.runs.taught(here[0].name), text)
    if left:
        words.plain(words.t("mixers.cut", count=left, most=WORDS), "line", "cut")
    unknown = [sample.surface(place) for place, kind in enumerate(sample.kinds) if kind == "unknown"]
    if unknown:
        told = words.t("mixers.comma").join(dict.fromkeys(map(words.quoted, unknown)))
        words.plain(words.t("mixers.unknown", words=told), "line", "unknown")
