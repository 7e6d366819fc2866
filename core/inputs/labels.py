"""Readable labels: no piece is ever shown blank, broken or as a marker of its vocabulary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

VISIBLE = {" ": "·", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u3000": "□"}
UNSEEN = ("Cf", "Cc", "Co", "Cn", "Cs", "Zs", "Zl", "Zp")
BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
JOINING = re.compile("[\u034f\u180b-\u180d\u180f\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")


@cache
def byte_alphabet() -> dict[str, int]:
    """Return which byte each character of a byte-level vocabulary stands for (Radford et al. 2019, section 2.2).

    Printable bytes stand for themselves; the other 68 are moved to U+0100 and up, in order.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(moved)}


def visible(text: str) -> str:
    """Return the text with white space, control and format characters made visible; ∅ for nothing at all.

    What joins or varies the character before it stays as it is, since that one can be seen.
    """
    return "".join(_visible(character, alone=not place) for place, character in enumerate(text)) or "∅"


def _visible(character: str, *, alone: bool) -> str:
    if character in VISIBLE:
        return VISIBLE[character]
    if ord(character) < 0x20:
        return chr(0x2400 + ord(character))
    kind = unicodedata.category(character)
    if JOINING.match(character):
        return _code(character) if alone else character
    if kind in UNSEEN or character in BLANK:
        return _code(character)
    return f"◌{character}" if alone and kind.startswith("M") else character


def _code(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def piece_label(text: str, *, starts_word: bool = False) -> str:
    """Return the label of a decoded piece: one leading space that only says "a new word begins" is not shown."""
    if (starts_word or text.startswith(" ")) and text[1:].strip():
        text = text.removeprefix(" ")
    return visible(text)


def byte_labels(pieces: Iterable[bytes]) -> list[tuple[str, bool]]:
    """Return a label for each byte piece in a row, and whether it holds only part of a character.

    Part of a character is shown as its bytes and which they are of how many: ⟨9F⟩ 2/4.
    """
    held = list(pieces)
    stream = b"".join(held)
    owners = [number for number, piece in enumerate(held) for _ in piece]
    chunks: list[list[tuple[str, bool]]] = [[] for _ in held]
    for start, end, length in _characters(stream):
        for owner, place in groupby(range(start, end), lambda place: owners[place]):
            own = list(place)
            text = _decoded(stream[start:end]) if len(own) == length else None
            part = _part(stream[own[0] : own[-1] + 1], own[0] - start, length)
            chunks[owner].append((part, True) if text is None else (text, False))
    return [_joined(row) for row in chunks]


def _joined(chunks: list[tuple[str, bool]]) -> tuple[str, bool]:
    if not any(part for _, part in chunks):
        return piece_label("".join(text for text, _ in chunks)), False
    rest = chunks[1:] if chunks[0] == (" ", False) else chunks
    return "".join(text if part else visible(text) for text, part in rest), True


def _characters(stream: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield where each character begins and ends and how many bytes it should have; a stray byte is one by itself."""
    start = 0
    while start < len(stream):
        length, end = _length(stream[start]), start + 1
        while end < min(start + length, len(stream)) and stream[end] & 0xC0 == 0x80:
            end += 1
        yield start, end, length
        start = end


def _decoded(stretch: bytes) -> str | None:
    try:
        return stretch.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _length(lead: int) -> int:
    if 0xC0 <= lead < 0xF8:
        return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return 1


def _part(held: bytes, first: int, length: int) -> str:
    last = first + len(held)
    which = f"{last}" if len(held) == 1 else f"{first + 1}-{last}"
    return f"⟨{held.hex(' ').upper()}⟩\u202f{which}/{length}"
