"""The examples of assets/samples, and where a sentence opens: which head, which tokens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import core
from pages.plumbing.state import Asked, Extent

CHOSEN = ("layer", "head", "query", "key", "units")
FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"


@dataclass(frozen=True, kw_only=True)
class Opening:
    """One sentence of an example and what it opens with; `query` and `key` are words of its text."""

    asked: Asked
    layer: int
    head: int
    query: str
    key: str | None = None
    units: str = "pieces"


@dataclass(frozen=True, kw_only=True)
class Example:
    """A thing to look at: one sentence, or two to compare. Its words are `samples.<name>` and `samples.<name>_look`."""

    name: str
    openings: tuple[Opening, ...]


@cache
def examples() -> tuple[Example, ...]:
    """Return every example whose model is installed, in the order of its file name."""
    installed = {entry.name for entry in core.catalog()}
    found = (_example(file) for file in sorted(FOLDER.glob("*.toml")))
    return tuple(example for example in found if example.openings[0].asked.model in installed)


def example_of(asked: Asked) -> Example | None:
    """Return the example this sentence belongs to, if it does."""
    return next((example for example in examples() if any(o.asked == asked for o in example.openings)), None)


def opening_of(asked: Asked) -> Opening | None:
    """Return what an example's sentence opens with, None for any other sentence."""
    return next((o for example in examples() for o in example.openings if o.asked == asked), None)


def opening(asked: Asked, pieces: Sequence[Any], extent: Extent, found: Any = None) -> core.Choice:
    """Return what a sentence opens with when a link says nothing: an example's own choice, else where most is to be
    seen (`found`, a core.analysis.Striking), else its last word."""
    known = opening_of(asked)
    if known is None and found is not None:
        return core.Choice(
            side=extent.sides[0], layer=found.layer, heads=(found.head,), query=found.query, key=found.key
        )
    if known is None:
        return core.Choice(
            side=extent.sides[0], layer=extent.middle, heads=(0,), query=_last_word(asked.text, pieces), key=None
        )
    return core.Choice(
        side=extent.sides[0],
        layer=known.layer,
        heads=(known.head,),
        query=_of_word(known.query, asked.text, pieces, last=True),
        key=_of_word(known.key, asked.text, pieces),
    )


def following(before: core.Choice, word: str, asked: Asked, pieces: Sequence[Any]) -> core.Choice | None:
    """Return what a new sentence shows to a person who looked at one of its words: the same head and the same word;
    None where the word is not there."""
    query = _of_word(word, asked.text, pieces, last=True)
    return None if query is None else replace(before, query=query, key=None)


def _example(file: Path) -> Example:
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    asked = [Asked(model=read["model"], text=one["text"], pair=one.get("pair")) for one in read["sentence"]]
    chosen = [{name: one[name] for name in CHOSEN if name in one} for one in read["sentence"]]
    openings = [Opening(asked=a, **c) for a, c in zip(asked, chosen, strict=True)]
    return Example(name=file.stem.partition("-")[2], openings=tuple(openings))


def _of_word(word: str | None, text: str, pieces: Sequence[Any], *, last: bool = False) -> int | None:
    """Return the last piece of the first place, or of the last place, at which a text has a word."""
    found = _places(word, text) if word else []
    return _covering(found[-1 if last else 0].span(), pieces) if found else None


def _places(word: str, text: str) -> list[re.Match[str]]:
    alone = list(re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text))
    return alone or list(re.finditer(re.escape(word), text))


def _last_word(text: str, pieces: Sequence[Any]) -> int | None:
    words = list(re.finditer(r"\w+", text))
    found = _covering(words[-1].span(), pieces) if words else None
    return found if found is not None else next((p.position for p in reversed(pieces) if p.kind != "special"), None)


def _covering(place: tuple[int, int], pieces: Sequence[Any]) -> int | None:
    begin, end = place
    inside = [p.position for p in pieces if p.part == 0 and p.span and p.span[0] < end and p.span[1] > begin]
    return inside[-1] if inside else None
