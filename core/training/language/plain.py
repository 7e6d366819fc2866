"""Sentences without a pronoun: one clause, a clause inside another, two clauses side by side."""

from __future__ import annotations

from random import Random

from core.training.language.clauses import ENOUGH, PLAINLY, Mood, active, being, passive, who, whom
from core.training.language.composing import DEGREES, frames_of, two_nouns
from core.training.language.drawing import chance, mood, noun, phrase, weighted
from core.training.language.pair import Pair, pair
from core.training.language.phrases import Phrase, Said, said
from core.training.language.tables import Noun, Verb, adjectives_of, verbs, verbs_of

SHAPES = {"being": 40, "doing": 20, "being somewhere": 20, "passive": 20}
CLASSES = {"animal": 2, "place": 1, "object": 1, "food": 1, "human": 1}
TRANSITIVE = {"class": 6, "human": 3, "role": 1}
PLURAL = 0.22
UNKNOWN = 0.03
SOMEWHERE = 0.6
WHO = 0.5
SIZES = ("big", "small")


def simple(random: Random) -> Pair:
    """Return one clause: what somebody was like, did, where, or what was done to it."""
    shape = weighted(random, SHAPES)
    if shape == "being":
        return _being(random)
    if shape == "being somewhere":
        return _somewhere(random)
    verb, (first, second) = _deed(random)
    told = mood(random, past=1 if shape == "passive" else 0.6, negated=0.35)
    subject = _phrase(random, first)
    thing = phrase(random, second, plural=chance(random, PLURAL), indefinite=not told.negated)
    if shape == "passive":
        return pair(passive(verb, thing, told, subject), "simple", (thing.name, subject.name))
    return pair(active(verb, subject, told, thing.say()), "simple", (subject.name, thing.name))


def relative(random: Random) -> Pair:
    """Return a clause inside another: "the dog that crossed the street was tired"."""
    verb, (first, second) = _deed(random)
    subject, thing = _phrase(random, first), phrase(random, second, plural=chance(random, PLURAL))
    if chance(random, WHO) and not first.is_name:
        told, head, nouns = who(verb, subject, thing.say()), subject, (subject.name, thing.name)
    else:
        told, head, nouns = whom(verb, thing, subject), thing, (thing.name, subject.name)
    how = mood(random, past=1, negated=0.25)
    return pair(being(told, head, how, _degree(random, how), _adjective(random, head)), "relative", nouns)


def coordination(random: Random) -> Pair:
    """Return two clauses side by side: "the dog was tired and the street was wide"."""
    first, second = _subject(random), _subject(random)
    link = random.choice((said("and", "et"), said("but", "mais")))
    words = _was(random, first) + link + _was(random, second)
    return pair(words, "coordination", (first.name, second.name))


def _being(random: Random) -> Pair:
    subject, how = _subject(random), mood(random, past=0.6, negated=0.35)
    words = being(subject.say(), subject, how, _degree(random, how), _adjective(random, subject))
    return pair(words, "simple", (subject.name,))


def _somewhere(random: Random) -> Pair:
    subject = _phrase(random, noun(random, random.choice(("animal", "human"))))
    told, verb = mood(random, past=0.6, negated=0.35), verbs()[random.choice(verbs_of("intransitive"))]
    if not chance(random, SOMEWHERE):
        return pair(active(verb, subject, told, said("", "")), "simple", (subject.name,))
    place = phrase(random, noun(random, "place"))
    return pair(active(verb, subject, told, said("in", "dans") + place.say()), "simple", (subject.name, place.name))


def _was(random: Random, subject: Phrase) -> Said:
    return being(subject.say(), subject, PLAINLY, "", random.choice(adjectives_of(subject.noun.kind)))


def _deed(random: Random) -> tuple[Verb, tuple[Noun, Noun]]:
    frame = random.choice(frames_of(weighted(random, TRANSITIVE)))
    return verbs()[frame.verb], two_nouns(random, frame)


def _subject(random: Random) -> Phrase:
    return _phrase(random, noun(random, weighted(random, CLASSES)))


def _phrase(random: Random, noun: Noun) -> Phrase:
    return phrase(random, noun, plural=chance(random, PLURAL), unknown=UNKNOWN)


def _adjective(random: Random, said_of: Phrase) -> str:
    sizes = () if said_of.noun.kind in {"human", "name"} else SIZES
    return random.choice((*adjectives_of(said_of.noun.kind), *sizes))


def _degree(random: Random, how: Mood) -> str:
    return random.choice(("", "very", ENOUGH)) if how.negated else weighted(random, DEGREES)
