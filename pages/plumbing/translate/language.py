"""The made-up language as the page offers it: pairs of sentences, and sentences put together from its words. Knows no
Streamlit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).resolve().parents[3] / "assets"
CLASS, PAIRS = "class", "samples/translate/pairs.toml"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two sentences that differ in one word, and the noun that "it" means in each."""

    text: str
    words: tuple[str, str]
    nouns: tuple[str, str]

    def sentence(self, which: int) -> str:
        """Return one of the two sentences."""
        return self.text.format(word=self.words[which])


@dataclass(frozen=True, kw_only=True)
class Composed:
    """The words of a sentence that is put together."""

    subject: str = "animal"
    verb: str = "cross"
    thing: str = "street"
    adjective: str = "tired"

    @property
    def sentence(self) -> str:
        """The sentence in English."""
        frame: str = _read(PAIRS)["composed"]
        return frame.format(**asdict(self))


@cache
def pairs() -> tuple[Pair, ...]:
    """Return the pairs of sentences to compare, the famous one first."""
    found = _read(PAIRS)["pair"]
    return tuple(Pair(text=one["text"], words=tuple(one["words"]), nouns=tuple(one["nouns"])) for one in found)


def pair_of(text: str) -> tuple[Pair, int] | None:
    """Return the pair that a sentence belongs to, and which of the two it is."""
    return next(((pair, which) for pair in pairs() for which in (0, 1) if pair.sentence(which) == text), None)


def verbs() -> tuple[str, ...]:
    """Return what somebody can do to somebody in a sentence that is put together."""
    return tuple(dict.fromkeys(verb for frame in _frames() for verb in frame["verbs"]))


def subjects(verb: str) -> tuple[str, ...]:
    """Return who can do it."""
    return _of(dict.fromkeys(frame["nouns"][0] for frame in _frames() if verb in frame["verbs"]))


def things(verb: str, subject: str) -> tuple[str, ...]:
    """Return to whom or what this one can do it."""
    nouns = _nouns()
    frames = (frame for frame in _frames() if verb in frame["verbs"] and subject in nouns[frame["nouns"][0]])
    return tuple(word for word in _of(dict.fromkeys(frame["nouns"][1] for frame in frames)) if word != subject)


def adjectives(subject: str, thing: str) -> tuple[str, ...]:
    """Return what can be said of either."""
    said = _read("training/adjectives.toml")
    kinds = [kind for word in (subject, thing) for kind, nouns in _nouns().items() if word in nouns]
    return tuple(dict.fromkeys(word for kind in kinds for word in said.get(kind, {})))


def fitted(composed: Composed) -> Composed:
    """Return the words with each that no longer fits those before it replaced by the first that does."""
    verb = _kept(composed.verb, verbs())
    subject = _kept(composed.subject, subjects(verb))
    thing = _kept(composed.thing, things(verb, subject))
    adjective = _kept(composed.adjective, adjectives(subject, thing))
    return Composed(subject=subject, verb=verb, thing=thing, adjective=adjective)


def _kept(word: str, allowed: tuple[str, ...]) -> str:
    return word if word in allowed else allowed[0]


def _frames() -> list[dict[str, Any]]:
    return [frame for frame in _read("training/frames.toml")["frame"] if frame["kind"] == CLASS]


def _nouns() -> Mapping[str, Any]:
    return _read("training/nouns.toml")


def _of(kinds: Mapping[str, None]) -> tuple[str, ...]:
    return tuple(word for kind in kinds for word in _nouns()[kind])


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((ASSETS / name).read_text("utf-8"))
