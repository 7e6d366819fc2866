"""How unsure is too unsure: the least sure word of right translations, of wrong ones, and of what was never taught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.changes import Change
from core.models import Model
from core.training.language import held_out
from core.training.language.tables import table
from core.training.measuring.accuracy import is_exact, share
from core.training.measuring.answering import answers

FALSE_ALARMS = 0.01


def confidence_figures(model: Model, *, seed: int, count: int, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return the threshold under which a translation is called unsure, and how much is found by it.

    It lies so that one right translation in a hundred falls under it. `strange` are sentences of known words, and some
    of unknown ones, that the language cannot say.
    """
    pairs = held_out(seed, count)
    told = answers(model, [pair.english for pair in pairs], changes)
    judged = [(is_exact(pair, answer), answer.least) for pair, answer in zip(pairs, told, strict=True)]
    right, wrong = ([least for exact, least in judged if exact is wanted] for wanted in (True, False))
    threshold = np.floor(float(np.quantile(right, FALSE_ALARMS)) * 100) / 100 if right else 0.0
    strange = [answer.least for answer in answers(model, strange_sentences(), changes)]
    return {
        "threshold": round(float(threshold), 2),
        "right": len(right),
        "right_below": _below(right, threshold),
        "wrong": len(wrong),
        "wrong_below": _below(wrong, threshold),
        "strange": len(strange),
        "strange_below": _below(strange, threshold),
    }


def strange_sentences() -> list[str]:
    """Return sentences that the language cannot say."""
    return [sentence for group in table("strange").values() for sentence in group]


def _below(least: Sequence[float], threshold: float) -> float | None:
    return share(one < threshold for one in least)
