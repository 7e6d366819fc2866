"""Many sentences: those to train on, those held out, and pairs that differ in one adjective."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from core.errors import CoreError
from core.training.language.clauses import PLAINLY, Mood
from core.training.language.composing import draw, frames_of, pointing, two_nouns
from core.training.language.drawing import chance, weighted
from core.training.language.held import held_combination, held_pair, pair_is_held
from core.training.language.pair import Pair
from core.training.language.phrases import Phrase
from core.training.language.plain import coordination, relative, simple
from core.training.language.scenes import Scene, say
from core.training.language.tables import UNKNOWN

KINDS: dict[str, Callable[[Random], Pair]] = {
    "pronoun": lambda random: say(draw(random)),
    "simple": simple,
    "relative": relative,
    "coordination": coordination,
}
SHARES = {"pronoun": 62, "simple": 18, "relative": 14, "coordination": 6}
WITHOUT_STOP = 0.04
TRAIN, TEST = 0, 1


def pairs(seed: int, count: int) -> tuple[Pair, ...]:
    """Return distinct sentences to train on, none of them held out; a few lack their full stop, as typed text does."""
    random = Random(f"train {seed}")
    kept = (pair for pair in _sentences(random) if not (held_pair(pair) or held_combination(pair)))
    return tuple(islice(_distinct(_careless(random, kept)), count))


def held_out(seed: int, count: int, kind: str = "pair") -> tuple[Pair, ...]:
    """Return distinct sentences that training never shows: "pair" of nouns, or "combination" of nouns and adjective.

    Raises:
        CoreError: no such kind.
    """
    if kind not in HELD:
        raise CoreError("unknown_choice", came=kind, allowed=", ".join(HELD))
    kept = (pair for pair in _sentences(Random(f"held out {seed}")) if UNKNOWN not in pair.nouns and HELD[kind](pair))
    return tuple(islice(_distinct(kept), count))


HELD = {"pair": held_pair, "combination": held_combination}


def minimal_pairs(seed: int, count: int) -> tuple[tuple[Pair, Pair], ...]:
    """Return sentences about held-out pairs of nouns, each twice: one adjective means one noun, one the other."""
    found: dict[str, tuple[Pair, Pair]] = {}
    scenes = _held_scenes(Random(f"minimal {seed}"))
    while len(found) < count:
        first, second = map(say, next(scenes))
        found[first.english] = (first, second)
    return tuple(found.values())


def _sentences(random: Random) -> Iterator[Pair]:
    while True:
        yield KINDS[weighted(random, SHARES)](random)


def _careless(random: Random, sentences: Iterator[Pair]) -> Iterator[Pair]:
    for pair in sentences:
        if chance(random, WITHOUT_STOP):
            pair = replace(pair, english=pair.english.removesuffix("."), french=pair.french.removesuffix("."))
        yield pair


def _distinct(sentences: Iterator[Pair]) -> Iterator[Pair]:
    seen = set()
    for pair in sentences:
        if pair.english not in seen:
            seen.add(pair.english)
            yield pair


def _held_scenes(random: Random) -> Iterator[tuple[Scene, Scene]]:
    while True:
        kind = weighted(random, {"class": 3, "place": 1})
        frame = random.choice(frames_of(kind))
        nouns = two_nouns(random, frame)
        if not pair_is_held(*sorted(noun.english for noun in nouns)):
            continue
        told = Mood(negated=chance(random, 0.5))
        passive = kind == "class" and chance(random, 0.2)
        first, second = (random.choice(adjectives) for adjectives in pointing(frame, PLAINLY))
        subject, thing = (Phrase(noun=noun) for noun in nouns)
        scene = Scene(
            frame=frame, subject=subject, thing=thing, about=0, adjective=first, mood=told, is_passive=passive
        )
        yield scene, replace(scene, about=1, adjective=second)
