"""What no training sentence contains: some pairs of nouns, and some pairs together with one adjective."""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from core.training.language.pair import Pair
from core.training.language.tables import UNKNOWN, adjectives, adjectives_of
from core.training.language.text import split_english

FAMOUS = frozenset({("animal", "street"), ("suitcase", "trophy"), ("street", "suitcase")})
PAIRS_PERCENT = 6
COMBINATIONS_PERCENT = 10


def held_pair(pair: Pair) -> bool:
    """Return whether the sentence has two nouns that never stand together in training, in singular or plural."""
    key = nouns_together(pair)
    return key is not None and pair_is_held(*key)


def held_combination(pair: Pair) -> bool:
    """Return whether its nouns and one of its adjectives never stand together in training, though the nouns do."""
    key = nouns_together(pair)
    if key is None or pair_is_held(*key):
        return False
    return any(combination_is_held(*key, adjective) for adjective in said_of_nouns(pair))


def nouns_together(pair: Pair) -> tuple[str, str] | None:
    """Return its two nouns in alphabetical order; None where there are not two that are known."""
    if len(pair.nouns) != 2 or UNKNOWN in pair.nouns:
        return None
    first, second = sorted(pair.nouns)
    return first, second


def said_of_nouns(pair: Pair) -> tuple[str, ...]:
    """Return the adjectives of a sentence that are not colours."""
    return tuple(word for word in split_english(pair.english) if word in adjectives() and word not in _colours())


@cache
def pair_is_held(first: str, second: str) -> bool:
    """Return whether two nouns in alphabetical order are kept apart: by hash, and those of the famous sentences."""
    return (first, second) in FAMOUS or _drawn(PAIRS_PERCENT, first, second)


@cache
def combination_is_held(first: str, second: str, adjective: str) -> bool:
    """Return whether two nouns in alphabetical order are kept from this adjective."""
    return _drawn(COMBINATIONS_PERCENT, first, second, adjective)


@cache
def _colours() -> frozenset[str]:
    return frozenset(adjectives_of("colour"))


def _drawn(percent: int, *words: str) -> bool:
    return int(sha256("|".join(words).encode()).hexdigest()[:8], 16) % 100 < percent
