"""Drawing scenes: how often which, so that no shortcut (first noun, nearest noun, masculine) is worth taking."""

from __future__ import annotations

from functools import cache
from random import Random

from core.training.language.clauses import ENOUGH, Mood
from core.training.language.drawing import chance, mood, noun, phrase, weighted
from core.training.language.scenes import FRONTED, OPENINGS, Scene
from core.training.language.tables import Frame, Noun, frames

KINDS = {"class": 42, "place": 9, "human": 11, "role": 22, "fit": 16}
NUMBERS = {"one one": 72, "many many": 14, "one many": 7, "many one": 7}
JOINED = {"because": 66, "since": 8, "but": 6, "and": 4, FRONTED: 8, "opening": 8}
DEGREES = {"too": 50, "very": 15, "so": 10, "": 25}
DENIED_DEGREES = {ENOUGH: 1, "very": 1, "": 1}
PAST = 0.75
DENIED = 0.5
REASON_DENIED = 0.1
FIT_DENIED = 0.3
PASSIVE = 0.15
UNKNOWN = 0.025


def draw(random: Random) -> Scene:
    """Return a scene of any kind with two different nouns."""
    frame = random.choice(frames_of(weighted(random, KINDS)))
    return compose(random, frame, two_nouns(random, frame))


@cache
def frames_of(kind: str) -> tuple[Frame, ...]:
    """Return the frames of one kind."""
    return tuple(frame for frame in frames() if frame.kind == kind)


def two_nouns(random: Random, frame: Frame) -> tuple[Noun, Noun]:
    """Return two different nouns of the frame's classes."""
    first = second = noun(random, frame.nouns[0])
    while second is first:
        second = noun(random, frame.nouns[1])
    return first, second


def compose(random: Random, frame: Frame, nouns: tuple[Noun, Noun]) -> Scene:
    """Return a scene in which these two take part."""
    told = mood(random, past=PAST, negated=1 if frame.kind == "fit" else DENIED)
    reason = mood(random, past=1, negated=reason_denied(frame))
    reason = Mood(past=told.past, negated=reason.negated, contracted=reason.contracted)
    about = random.randrange(2)
    first, second = weighted(random, NUMBERS).split()
    return Scene(
        frame=frame,
        subject=phrase(random, nouns[0], plural=first == "many", unknown=UNKNOWN),
        thing=phrase(random, nouns[1], plural=second == "many", unknown=UNKNOWN, indefinite=not told.negated),
        about=about,
        adjective=random.choice(pointing(frame, reason)[about]),
        degree=degree(random, frame, reason),
        mood=told,
        reason_mood=reason,
        is_passive=told.past and frame.kind not in {"place", "fit"} and chance(random, PASSIVE),
        joined=joined(random, told),
    )


def reason_denied(frame: Frame) -> float:
    """Return how often the reason is that somebody was not so; where roles decide, never."""
    return {"role": 0, "fit": FIT_DENIED}.get(frame.kind, REASON_DENIED)


def pointing(frame: Frame, reason: Mood) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the adjectives that point to the first noun and to the second."""
    return frame.not_enough if reason.negated and frame.not_enough else frame.adjectives


def degree(random: Random, frame: Frame, reason: Mood) -> str:
    """Return how much: whether something fits is a matter of too big and not big enough."""
    if frame.kind == "fit":
        return ENOUGH if reason.negated else "too"
    return weighted(random, DENIED_DEGREES if reason.negated else DEGREES)


def joined(random: Random, told: Mood) -> str:
    """Return what joins the two clauses, or opens the first of them."""
    drawn = weighted(random, JOINED)
    if drawn != "opening":
        return drawn
    return random.choice([word for word in OPENINGS if (word != "now") == told.past])
