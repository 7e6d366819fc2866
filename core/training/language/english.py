"""English by rule: articles, and verbs that say no, in full or drawn together."""

from __future__ import annotations

from core.training.language.tables import Verb

PRONOUNS = {"m": "he", "f": "she"}


def article(determiner: str, following: str, plural: bool) -> str:
    """Return the determiner as it stands before the word that follows."""
    if determiner == "a":
        return "some" if plural else "an" if following[0] in "aeiou" else "a"
    return "these" if determiner == "this" and plural else determiner


def be(plural: bool, past: bool) -> str:
    """Return the form of "be" for the third person."""
    if past:
        return "were" if plural else "was"
    return "are" if plural else "is"


def do(plural: bool, past: bool) -> str:
    """Return the form of "do" for the third person."""
    return "did" if past else "do" if plural else "does"


def deny(word: str, negated: bool, contracted: bool) -> tuple[str, ...]:
    """Put "not" after a form of "be" or "do", as a word or as its ending."""
    if not negated:
        return (word,)
    return (f"{word}n't",) if contracted else (word, "not")


def finite(verb: Verb, plural: bool, past: bool) -> str:
    """Return the verb's own form for the third person."""
    return verb.past if past else verb.english if plural else verb.third
