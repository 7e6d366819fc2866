"""Labels: nothing invisible stays invisible, and no half of a character is drawn as a broken one."""

import pytest

from core.inputs.labels import byte_alphabet, byte_labels, piece_label, visible

FACE = "😀".encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "∅"),
        (" ", "·"),
        ("a\tb\r\n", "a⇥b␍↵"),
        ("\x00\x1b\x7f", "␀␛⟨U+007F⟩"),
        ("\u200b", "⟨U+200B⟩"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("\u200d", "⟨U+200D⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\u3164\u2800", "⟨U+3164⟩⟨U+2800⟩"),
        ("\ue000\ud800", "⟨U+E000⟩⟨U+D800⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("<b>", "<b>"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [(" the", "the"), (" ", "·"), ("  the", "·the"), ("the ", "the·"), (" \n", "·↵")]
)
def test_only_the_one_space_that_begins_a_word_is_left_out(text, shown):
    assert piece_label(text) == shown


@pytest.mark.parametrize(
    ("pieces", "labels"),
    [
        ([FACE], ["😀"]),
        ([FACE[:2], FACE[2:]], ["⟨F0 9F⟩ 1-2/4", "⟨98 80⟩ 3-4/4"]),
        ([b"a" + FACE[:1], FACE[1:] + b"b"], ["a⟨F0⟩ 1/4", "⟨9F 98 80⟩ 2-4/4b"]),
        ([b" \xe2", b"\x96\x81 \n"], ["⟨E2⟩ 1/3", "⟨96 81⟩ 2-3/3·↵"]),
        ([FACE[:3], b"a"], ["⟨F0 9F 98⟩ 1-3/4", "a"]),
        ([FACE[:3]], ["⟨F0 9F 98⟩ 1-3/4"]),
        ([b"\x80\x80a"], ["⟨80⟩ 1/1⟨80⟩ 1/1a"]),
        ([b"\xc3a"], ["⟨C3⟩ 1/2a"]),
        ([b"\xed\xa0\x80"], ["⟨ED A0 80⟩ 1-3/3"]),
        ([b"\xff"], ["⟨FF⟩ 1/1"]),
        ([b"", b"a"], ["∅", "a"]),
    ],
)
def test_bytes_of_characters(pieces, labels):
    found = byte_labels(pieces)
    assert [label.replace("\u202f", " ") for label, _ in found] == labels
    assert [part for _, part in found] == ["⟨" in label for label in labels]


def test_the_byte_alphabet_is_256_characters_that_can_be_seen():
    assert sorted(byte_alphabet().values()) == list(range(256))
    assert all(visible(character) == character for character in byte_alphabet())
    assert [byte_alphabet()[character] for character in "Ġ\u010aA"] == [0x20, 0x0A, 0x41]
