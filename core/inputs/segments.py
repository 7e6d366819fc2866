"""Words and characters of a text, as a reader would count them (Unicode Standard Annex 29 for characters)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import regex

Span = tuple[int, int]

_EXTENDING = r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]*"
_ONE = rf"(?:[\U0001F1E6-\U0001F1FF]{{2}}{_EXTENDING}|\X)"
_LETTER = r"[^\s\p{P}\p{S}\p{Han}\p{Hiragana}\p{Katakana}]"
_CHARACTER = regex.compile(_ONE)
_LETTERS = rf"{_LETTER}+(?:['’\-\.]{_LETTER}+)*"
_WORD = regex.compile(rf"(?:[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}]|{_LETTERS}){_EXTENDING}|(?!\s){_ONE}")


def characters(text: str) -> list[Span]:
    """Return the span of every user-perceived character.

    Flags are paired first: the library's own pattern reads a row of them again from its beginning for each.
    """
    return [match.span() for match in _CHARACTER.finditer(text)]


def words(text: str) -> list[Span]:
    """Return the span of every word: letters and digits with their inner apostrophes and hyphens; any other sign alone.

    Chinese and Japanese, which write no spaces, are counted by character.
    """
    return [match.span() for match in _WORD.finditer(text)]


def number(spans: Sequence[Span | None], segments: Sequence[Span]) -> list[int | None]:
    """Say for each span in which segment it begins; None for no span, an empty one, or one between segments."""
    starts = [start for start, _ in segments]
    found: list[int | None] = []
    for span in spans:
        place = bisect_right(starts, span[0]) - 1 if span and span[0] < span[1] else -1
        found.append(place if span and place >= 0 and span[0] < segments[place][1] else None)
    return found


def joined(spans: Sequence[Span | None], segments: Sequence[Span]) -> list[int | None]:
    """Number runs of neighbouring spans that share a segment, so that no segment is broken between two runs."""
    owner = {place: n for n, (start, end) in enumerate(segments) for place in range(start, end)}
    found: list[int | None] = []
    last: int | None = None
    run = -1
    for span in spans:
        if span is None or span[0] >= span[1]:
            found.append(None)
            last = None
            continue
        run += owner.get(span[0]) != last or last is None
        last = owner.get(span[1] - 1)
        found.append(run)
    return found
