"""Readable labels: no piece is ever shown blank, broken or as a marker of its vocabulary."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

VISIBLE = {" ": "·", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u3000": "□"}


@cache
def byte_alphabet() -> dict[str, int]:
    """Return which byte each character of a byte-level vocabulary stands for (Radford et al. 2019, section 2.2).

    Printable bytes stand for themselves; the other 68 are moved to U+0100 and up, in order.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(moved)}


def visible(text: str) -> str:
    """Return the text with white space, control and format characters made visible; ∅ for nothing at all."""
    return "".join(_visible(character) for character in text) or "∅"


def _visible(character: str) -> str:
    if character in VISIBLE:
        return VISIBLE[character]
    if ord(character) < 0x20:
        return chr(0x2400 + ord(character))
    if (
        unicodedata.category(character) in ("Cf", "Cc", "Co", "Cn", "Cs", "Zs", "Zl", "Zp")
        and character not in "\u200d"
    ):
        return f"⟨U+{ord(character):04X}⟩"
    return character


def piece_label(text: str, *, starts_word: bool = False) -> str:
    """Return the label of a decoded piece: one leading space that only says "a new word begins" is not shown."""
    if (starts_word or text.startswith(" ")) and text[1:].strip():
        text = text.removeprefix(" ")
    return visible(text)


def byte_labels(pieces: Iterable[bytes]) -> list[tuple[str, bool]]:
    """Return a label for each byte piece in a row, and whether it holds only part of a character.

    Part of a character is shown as its bytes and which they are of how many: ⟨9F⟩ 2/4.
    """
    labels, place, length = [], 0, 1
    for piece in pieces:
        shown, broken, held, first = "", False, b"", 0
        for byte in piece:
            if byte & 0xC0 != 0x80:
                place, length = 0, _length(byte)
            first = first if held else place
            held, place = held + bytes([byte]), place + 1
            if place == length and len(held) == length:
                shown, held = shown + held.decode("utf-8", "replace"), b""
            elif place == length:
                shown, held, broken = shown + _part(held, first, length), b"", True
        if held:
            shown, broken = shown + _part(held, first, length), True
        labels.append((shown, broken))
    return labels


def _length(lead: int) -> int:
    if lead < 0x80:
        return 1
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _part(held: bytes, first: int, length: int) -> str:
    last = first + len(held)
    which = f"{last}" if len(held) == 1 else f"{first + 1}-{last}"
    return f"⟨{held.hex(' ').upper()}⟩\u202f{which}/{length}"
