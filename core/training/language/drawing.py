"""Drawing nouns, phrases and moods: how often what is said."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from core.training.language.clauses import Mood
from core.training.language.phrases import Phrase
from core.training.language.tables import Noun, adjectives, adjectives_of, nouns_of

DETERMINERS = {"the": 50, "a": 18, "this": 10, "my": 8, "our": 7, "your": 7}
NAMES = 0.5
COLOURED = 0.12
CONTRACTED = 0.6


def chance(random: Random, share: float) -> bool:
    """Return True in this share of draws."""
    return random.random() < share


def weighted(random: Random, weights: Mapping[str, float]) -> str:
    """Return one of the keys, as often as its weight says."""
    return random.choices(tuple(weights), tuple(weights.values()))[0]


def noun(random: Random, kind: str) -> Noun:
    """Return a noun of a class, either gender equally often; half of the people go by name."""
    if kind == "human" and chance(random, NAMES):
        kind = "name"
    return random.choice(nouns_of(kind, random.choice("mf")))


def phrase(random: Random, noun: Noun, *, plural: bool = False, unknown: float = 0, indefinite: bool = True) -> Phrase:
    """Return a phrase around a noun; `unknown` is how often the noun is hidden."""
    if noun.is_name:
        return Phrase(noun=noun)
    determiner = weighted(random, DETERMINERS)
    hidden = chance(random, unknown)
    coloured = chance(random, COLOURED) and not hidden
    return Phrase(
        noun=noun,
        determiner="the" if determiner == "a" and not indefinite else determiner,
        plural=plural and bool(noun.plural),
        colour=adjectives()[random.choice(adjectives_of("colour"))] if coloured else None,
        unknown=hidden,
    )


def mood(random: Random, *, past: float, negated: float) -> Mood:
    """Return when and whether; the shares say how often in the past and how often denied."""
    return Mood(past=chance(random, past), negated=chance(random, negated), contracted=chance(random, CONTRACTED))
