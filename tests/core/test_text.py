"""The text reader: every piece has a readable label and a place in the text as it was typed; nothing is lost unsaid."""

import json

import pytest

import core
from tests.core.readers import NFKC, SCORED, toy

NARROW = "\u202f"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.fixture(scope="module")
def bert(minilm):
    return minilm.reader


@pytest.fixture(scope="module")
def smol(smollm2):
    return smollm2.reader


def notes(sample):
    return {note.key: note.values for note in sample.notes}


def labels(sample):
    return [label.replace(NARROW, " ") for label in sample.labels]


def test_a_character_in_several_byte_pieces_has_one_span_and_readable_bytes(smol):
    sample = smol.read("i\u2b62j")
    assert labels(sample) == ["i", "⟨E2⟩ 1/3", "⟨AD⟩ 2/3", "⟨A2⟩ 3/3", "j"]
    assert sample.spans == ((0, 1), (1, 2), (1, 2), (1, 2), (2, 3))
    assert [sample.surface(place) for place in (1, 2, 3)] == ["\u2b62"] * 3
    assert sample.kinds[1:4] == ("byte",) * 3


def test_an_arrow_between_spaces_is_seven_pieces():
    sample = toy("llama_lm").read("i \u2b62 j")
    assert [span for span in sample.spans if span == (2, 3)] == [(2, 3)] * 3
    assert sample.surface(4) == "\u2b62"


def test_a_thumb_is_four_bytes_of_one_character(smol):
    sample = toy("llama_lm").read("👍")
    assert labels(sample)[1:] == ["⟨F0 9F⟩ 1-2/4", "⟨91⟩ 3/4", "⟨8D⟩ 4/4"]
    assert set(sample.spans[1:]) == {(0, 1)}
    assert smol.read("👍").spans == ((0, 1),) * 3


def test_a_family_is_seven_characters_and_one_for_a_reader(smol):
    sample = smol.read(FAMILY)
    assert len(FAMILY) == 7
    assert sorted(set(sample.spans)) == [(place, place + 1) for place in range(7)]
    assert set(sample.characters) == {0}
    assert set(sample.words) == {0}
    held = [label.split("⟩")[0].strip("⟨").split() for label in labels(sample)]
    assert bytes.fromhex("".join(byte for row in held for byte in row)).decode() == FAMILY


def test_white_space_is_visible(smol, bert):
    assert labels(smol.read("a  b\n\tc")) == ["a", "·", "b", "↵", "⇥", "c"]
    assert smol.read("\n").pieces == ("Ċ",)
    assert labels(bert.read("a  b\n\tc")) == ["[CLS]", "a", "b", "c", "[SEP]"]


def test_typed_signs_that_look_like_markers_stay(smol, bert):
    assert "".join(labels(smol.read("C## _x ##a"))) == "C##_x##a"
    assert labels(bert.read("c## _x ##a"))[1:-1] == ["c", "#", "#", "_", "x", "#", "#", "a"]
    sample = smol.read("\u0120 \u2581x")
    assert [sample.surface(place) for place in range(len(sample))] == ["\u0120"] * 2 + ["\u2581"] * 2 + ["x"]
    assert labels(sample)[:2] == ["⟨C4⟩ 1/2", "⟨A0⟩ 2/2"]


def test_a_start_piece_stands_once_where_the_file_wants_it_and_nowhere_else(smol):
    assert toy("llama_lm").read("hello world!").pieces.count("<|begin_of_text|>") == 1
    assert "special" not in smol.read("hello world!").kinds


def test_spans_index_the_text_as_it_was_typed(bert):
    text = "\u0130stanbul \ufb01n \u00bd"
    for reader in (bert, NFKC):
        sample = reader.read(text)
        covered = {place for span in sample.spans for place in range(*span)}
        assert covered == {place for place, character in enumerate(text) if character != " "}
        assert [sample.spans[0], sample.spans[-1]] == [(0, 0), (0, 0)]
    assert [bert.read(text).surface(place) for place in (1, 2, 3, 4)] == ["\u0130stanbul", "\ufb01", "n", "\u00bd"]


@pytest.mark.parametrize(
    ("text", "count", "which"),
    [
        ("a\u200bb", 1, "U+200B"),
        ("a\u0000b \u0007", 2, "U+0000 U+0007"),
        ("\u202eabc\u202c", 2, "U+202E U+202C"),
        ("e\u0301", 1, "U+0301"),
        ("\ue000 x \ue000", 2, "U+E000"),
    ],
)
def test_characters_that_the_tokenizer_deletes_are_counted(bert, text, count, which):
    assert notes(bert.read(text))["dropped"] == {"count": count, "which": which}


def test_nothing_is_said_to_be_dropped_that_is_read(bert, smol):
    for reader in (bert, smol):
        for text in ("A naïve café, it's 3 \u2581 \u0120!", "line\n two\t"):
            assert "dropped" not in notes(reader.read(text))


def test_unknown_pieces_keep_their_surface(bert):
    sample = bert.read("ewww \ufe4fA ok")
    place = sample.kinds.index("unknown")
    assert (sample.labels[place], sample.surface(place)) == ("[UNK]", "\ufe4f")
    assert notes(sample)["unknown"] == {"count": 1}
    two = bert.read("😀 😁")
    assert [two.surface(place) for place in (1, 2)] == ["😀", "😁"]
    assert len(two) == 4


def test_a_vocabulary_with_scores_says_what_it_does_not_know():
    sample = SCORED.read("a cat")
    assert sample.kinds == ("word", "unknown")
    assert (sample.labels, sample.surface(1)) == (("a", "cat"), "cat")
    assert notes(sample)["unknown"] == {"count": 1}


def test_words_and_characters_of_an_unknown_piece(bert):
    sample = bert.read("the 猫 sat")
    assert (sample.words, sample.characters) == ((None, 0, 1, 2, None), (None, 0, 1, 2, None))


def saved(name="bert_mlm"):
    """A tokenizer.json that was saved with truncation to 8 and padding to 16."""
    truncation = '{"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}'
    padding = (
        '{"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0,'
        ' "pad_token": "[PAD]"}'
    )
    return toy(name, truncation=truncation, padding=padding)


@pytest.mark.parametrize(("text", "length"), [("the " * 21, 23), ("the", 3)])
def test_saved_truncation_and_padding_are_off(text, length):
    sample = saved().read(text)
    assert len(sample) == length
    assert "[PAD]" not in sample.pieces


def test_minilms_own_file_would_pad_every_sentence_to_128(bert):
    assert len(bert.read("the cat")) == 4
    assert len(bert.read("the " * 200)) == 202


def test_empty_and_blank_texts(bert, smol):
    for text in ("", "   ", "\n"):
        assert bert.read(text).pieces == ("[CLS]", "[SEP]")
    with pytest.raises(core.CoreError) as caught:
        smol.read("")
    assert (caught.value.key, caught.value.values) == ("no_pieces", {"came": 0})
    assert labels(smol.read("   ")) == ["···"]
    assert labels(smol.read("\n")) == ["↵"]


def test_bytes_that_a_vocabulary_lacks_are_told(smol):
    """SmolLM2 has no piece for the byte 06."""
    assert notes(smol.read("a\x06b"))["dropped"] == {"count": 1, "which": "U+0006"}
    with pytest.raises(core.CoreError, match="no tokens"):
        smol.read("\x06")


def test_a_lone_surrogate_is_replaced_and_said(bert, smol):
    for reader in (bert, smol):
        sample = reader.read("\ud800 caf\udce9")
        assert notes(sample)["replaced"] == {"count": 2}
        assert sample.text == "\ufffd caf\ufffd"
    assert labels(smol.read("\ud800x")) == ["\ufffd", "x"]


def test_too_long_says_how_many_came_and_how_many_are_taken(bert):
    with pytest.raises(core.CoreError) as caught:
        bert.read("the " * 511)
    assert (caught.value.key, caught.value.values) == ("too_long", {"came": 513, "allowed": 512})
    assert len(bert.read("the " * 510)) == 512


def test_ten_thousand_characters_without_a_space(bert, smol):
    assert bert.read("a" * 10_000).pieces == ("[CLS]", "[UNK]", "[SEP]")
    sample = smol.read("a" * 10_000)
    assert sample.spans[-1][1] == 10_000
    assert set(sample.words) == {0}


def test_a_pair_has_two_parts_and_its_own_spans(bert, smol):
    sample = bert.read("the cat", "the dog")
    assert sample.parts == (0, 0, 0, 0, 1, 1, 1)
    assert [sample.surface(place) for place in (1, 2, 4, 5)] == ["the", "cat", "the", "dog"]
    assert len({sample.words[place] for place in (1, 2, 4, 5)}) == 4
    with pytest.raises(core.CoreError) as caught:
        smol.read("the cat", "the dog")
    assert caught.value.key == "pair_not_taken"


def template(kind):
    first = {"SpecialToken": {"id": "[CLS]", "type_id": kind}}
    rule = {
        "type": "TemplateProcessing",
        "single": [first, {"Sequence": {"id": "A", "type_id": kind}}],
        "pair": [first, {"Sequence": {"id": "A", "type_id": kind}}, {"Sequence": {"id": "B", "type_id": kind}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}},
    }
    return toy("bert_mlm", post_processor=json.dumps(rule))


@pytest.mark.parametrize("kind", [1, 7])
def test_sentence_types_that_no_sentence_has(kind):
    assert set(template(kind).read("the cat").parts) == {0}
    assert set(template(kind).read("the cat", "sat").parts) == {0, 1}


@pytest.mark.parametrize(
    "altered",
    [
        {"model": '{"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}', "added_tokens": "[]"},
        {"model": '{"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "?"}', "added_tokens": "[]"},
        {"pre_tokenizer": '{"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": false}'},
    ],
    ids=["no unknown piece", "an unknown piece that is not there", "a pattern that never ends"],
)
def test_a_tokenizer_that_stops_is_told(altered, capfd):
    with pytest.raises(core.CoreError) as caught:
        toy("bert_mlm", post_processor="null", **altered).read("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
    assert caught.value.key == "tokenizer_stopped"
    assert caught.value.values["why"]
    capfd.readouterr()
