"""Clauses: who did what to whom, what was done to whom, and what somebody was like."""

from __future__ import annotations

from dataclasses import dataclass

from core.training.language import english, french
from core.training.language.phrases import Phrase, Said, said
from core.training.language.tables import Verb, adjectives

DEGREES = {"too": "trop", "very": "très", "so": "si", "": ""}
ENOUGH = "enough"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mood:
    """When it happened and whether it did; `contracted` says no in one word."""

    past: bool = True
    negated: bool = False
    contracted: bool = True


PLAINLY = Mood()


def active(verb: Verb, subject: Phrase, mood: Mood, rest: Said) -> Said:
    """Somebody does something: "the dog" + "didn't cross" + the rest."""
    group = Said(
        english=_english_verb(verb, subject.plural, mood),
        french=french.deny(_french_verb(verb, subject.plural, mood), mood.negated),
    )
    return subject.say() + group + rest


def passive(verb: Verb, subject: Phrase, mood: Mood, agent: Phrase) -> Said:
    """Something is done to the subject, in the past: "the street" + "was crossed by" + "the dog"."""
    done = french.participle(verb, subject.gender, subject.plural)
    group = Said(
        english=(*_was(subject.plural, mood), verb.participle, "by"),
        french=(*french.deny((french.have(subject.plural), "été"), mood.negated), done, "par"),
    )
    return subject.say() + group + agent.say()


def being(subject: Said, like: Phrase, mood: Mood, degree: str, adjective: str) -> Said:
    """Somebody is like this: `subject` (a phrase or its pronoun) + "was too tired", which agrees with `like`."""
    group = Said(
        english=_was(like.plural, mood),
        french=french.deny((french.be(like.plural, mood.past),), mood.negated),
    )
    return subject + group + quality(like, degree, adjective)


def quality(like: Phrase, degree: str, adjective: str) -> Said:
    """Return "too tired" as it agrees with the phrase it is said of; "enough" comes after its English adjective."""
    agreed = french.agree(adjectives()[adjective], like.gender, like.plural)
    if degree == ENOUGH:
        return said(f"{adjective} {ENOUGH}", f"assez {agreed}")
    return said(f"{degree} {adjective}", f"{DEGREES[degree]} {agreed}")


def who(verb: Verb, head: Phrase, rest: Said) -> Said:
    """The head of which something is told that it did: "the dog that crossed" + the rest."""
    told = Said(english=("that", verb.past), french=("qui", *_french_verb(verb, head.plural, PLAINLY)))
    return head.say() + told + rest


def whom(verb: Verb, head: Phrase, subject: Phrase) -> Said:
    """The head to which something was done: "the street that the dog crossed", where the French participle agrees."""
    done = french.participle(verb, head.gender, head.plural)
    told = Said(english=(verb.past,), french=(french.have(subject.plural), done))
    return head.say() + said("that", "que") + subject.say() + told


def _was(plural: bool, mood: Mood) -> tuple[str, ...]:
    return english.deny(english.be(plural, mood.past), mood.negated, mood.contracted)


def _english_verb(verb: Verb, plural: bool, mood: Mood) -> tuple[str, ...]:
    if mood.negated:
        return (*english.deny(english.do(plural, mood.past), True, mood.contracted), verb.english)
    return (english.finite(verb, plural, mood.past),)


def _french_verb(verb: Verb, plural: bool, mood: Mood) -> tuple[str, ...]:
    if not mood.past:
        return (verb.french[plural],)
    if verb.french_past:
        return (verb.french_past[plural],)
    return (french.have(plural), verb.french_participle)
