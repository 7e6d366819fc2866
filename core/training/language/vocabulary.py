"""The words the translator knows: every form that the language can say, and four that are no words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from core.training.language import french
from core.training.language.clauses import DEGREES
from core.training.language.scenes import BECAUSE, COMMA, LINKS, OPENINGS
from core.training.language.tables import UNKNOWN, adjectives, grammar, nouns, verbs, verbs_of

SPECIALS = ("<pad>", "<s>", "</s>", UNKNOWN)
JOINING = (BECAUSE, COMMA, *LINKS.values(), *OPENINGS.values())
NUMBERS = (False, True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    """The words of both languages; a word's place is its id. The specials come first, then the words in order."""

    english: tuple[str, ...]
    french: tuple[str, ...]


@cache
def vocabulary() -> Vocabulary:
    """Return every word that the language can say."""
    return Vocabulary(english=(*SPECIALS, *sorted(set(_english()))), french=(*SPECIALS, *sorted(set(_french()))))


def _english() -> Iterator[str]:
    for noun in nouns().values():
        yield from filter(None, (noun.english, noun.plural))
    yield from adjectives()
    for english in verbs():
        yield from _english_verb(english)
    for said in JOINING:
        yield from said.english
    yield from filter(None, DEGREES)
    yield from grammar("english")


def _english_verb(english: str) -> Iterator[str]:
    verb = verbs()[english]
    yield english
    if english not in verbs_of("stative"):
        yield from (verb.third, verb.past)
    if english in verbs_of("transitive"):
        yield verb.participle


def _french() -> Iterator[str]:
    for noun in nouns().values():
        yield from filter(None, (noun.french, noun.french_plural))
    for adjective in adjectives().values():
        yield from (french.agree(adjective, gender, plural) for gender in "mf" for plural in NUMBERS)
    for english in verbs():
        yield from _french_verb(english)
    for said in JOINING:
        yield from said.french
    for forms in french.ARTICLES.values():
        yield from forms
    yield from (*french.BEFORE_VOWEL.values(), *french.PRONOUNS.values(), *filter(None, DEGREES.values()))
    yield from (french.be(plural, past) for plural in NUMBERS for past in NUMBERS)
    yield from grammar("french")


def _french_verb(english: str) -> Iterator[str]:
    verb = verbs()[english]
    yield from (*verb.french, *(verb.french_past or (verb.french_participle,)))
    if english in verbs_of("transitive"):
        yield from (french.participle(verb, gender, plural) for gender in "mf" for plural in NUMBERS)
