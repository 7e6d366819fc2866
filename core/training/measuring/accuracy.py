"""How often a translation is right: word for word, and in the one word that needs understanding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from core.changes import Change
from core.models import Model
from core.training.language import Pair, held_out, minimal_pairs, split_french
from core.training.language.french import PRONOUNS
from core.training.language.tables import nouns
from core.training.measuring.answering import Answer, answers

PRONOUN_WORDS = frozenset(PRONOUNS.values())


def held_out_figures(model: Model, *, seed: int, count: int, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return what is right of sentences that training never showed, for pairs of nouns and for combinations."""
    return {kind: figures(model, held_out(seed, count, kind), changes) for kind in ("pair", "combination")}


def figures(model: Model, pairs: Sequence[Pair], changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return the share of exact translations, by kind of sentence too, and of right pronouns.

    `contested` are the sentences whose pronoun could mean either noun, where il or elle tells which.
    """
    told = answers(model, [pair.english for pair in pairs], changes)
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for pair, answer in zip(pairs, told, strict=True):
        by_kind[pair.kind].append(is_exact(pair, answer))
    asked = [(pair, answer) for pair, answer in zip(pairs, told, strict=True) if is_contested(pair)]
    return {
        "count": len(pairs),
        "exact": share(right for kind in by_kind.values() for right in kind),
        "kinds": {kind: share(right) for kind, right in sorted(by_kind.items())},
        "contested": len(asked),
        "pronouns": share(has_right_pronoun(pair, answer) for pair, answer in asked),
    }


def minimal_figures(model: Model, *, seed: int, count: int, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return in how many of the pairs that differ in one adjective both translations are right."""
    both = minimal_pairs(seed, count)
    told = iter(answers(model, [pair.english for one in both for pair in one], changes))
    answered = [tuple((pair, next(told)) for pair in one) for one in both]
    return {
        "count": count,
        "exact": share(all(is_exact(*one) for one in pair) for pair in answered),
        "pronouns": share(all(has_right_pronoun(*one) for one in pair) for pair in answered),
    }


def is_exact(pair: Pair, answer: Answer) -> bool:
    """Return whether a translation is right word for word."""
    return answer.words == split_french(pair.french)


def has_right_pronoun(pair: Pair, answer: Answer) -> bool:
    """Return whether il, elle, ils or elles is said once, and is the right one."""
    assert pair.french_pronoun is not None
    wanted = split_french(pair.french)[pair.french_pronoun]
    return [word for word in answer.words if word in PRONOUN_WORDS] == [wanted]


def is_contested(pair: Pair) -> bool:
    """Return whether "it" or "they" could mean either noun, one of them masculine and one feminine in French."""
    if pair.it is None or pair.kind == "human":
        return False
    first, second = (nouns()[noun].gender for noun in pair.nouns)
    return first != second


def share(right: Iterable[bool]) -> float | None:
    """Return how many of these are so, from 0 to 1; None where there are none."""
    found = list(right)
    return round(sum(found) / len(found), 4) if found else None
