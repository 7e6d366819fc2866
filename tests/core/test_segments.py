"""Words and characters as a reader counts them."""

import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as some

from core.inputs.segments import characters, joined, number, words

ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
mixed = some.text(alphabet="a1 '’-.!猫かé\u0301\u200d\ufe0f\u093e👩🏽❤🇩🇪\U000e0067\U000e007f\u0e33각\r\n", max_size=16)


def cut(text, spans):
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("didn't stop.", ["didn't", "stop", "."]),
        ("a well-known U.S. fact", ["a", "well-known", "U.S", ".", "fact"]),
        ("猫追狗", ["猫", "追", "狗"]),
        ("x += 3;", ["x", "+", "=", "3", ";"]),
        ("👩\u200d💻 🇩🇪🇫🇷 👍🏽", ["👩\u200d💻", "🇩🇪", "🇫🇷", "👍🏽"]),
        (f"{ENGLAND}!", [ENGLAND, "!"]),
        ("cafe\u0301 \u0301", ["cafe\u0301", "\u0301"]),
        ("", []),
        (" \n", []),
    ],
)
def test_words(text, wanted):
    assert cut(text, words(text)) == wanted


@settings(max_examples=400, deadline=None)
@given(text=mixed)
def test_characters_are_those_of_the_standard(text):
    assert characters(text) == [match.span() for match in regex.finditer(r"\X", text)]


@settings(max_examples=400, deadline=None)
@given(text=mixed)
def test_words_leave_out_only_white_space_and_split_no_character(text):
    spans = words(text)
    owner = {place: n for n, span in enumerate(spans) for place in range(*span)}
    assert sum(end - start for start, end in spans) == len(owner)
    assert not "".join(character for place, character in enumerate(text) if place not in owner).strip()
    for start, end in characters(text):
        assert text[start].isspace() or len({owner.get(place) for place in range(start, end)}) == 1


@pytest.mark.parametrize("text", ["🇩" * 20_000, "e\u0301" * 20_000, "👩\u200d" * 20_000, "a'" * 20_000, "a" * 200_000])
def test_long_rows_of_anything_take_no_time(text):
    began = time.perf_counter()
    characters(text), words(text)
    assert time.perf_counter() - began < 2


def test_pieces_are_numbered_by_where_they_begin():
    assert number([(0, 2), (2, 4), (4, 5), (5, 9), None, (3, 3)], [(0, 4), (5, 9)]) == [0, 0, None, 1, None, None]


def test_pieces_that_share_a_character_are_joined():
    assert joined([(0, 1), (0, 1), (1, 2), None, (2, 5)], [(0, 1), (1, 3), (3, 5)]) == [0, 0, 1, None, 2]
    assert joined([(0, 2), (2, 4), (4, 6)], [(0, 3), (3, 6)]) == [0, 0, 0]
