"""Whatever is typed, whatever a model writes: a readable label and a place for every piece."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from core.inputs.text import whole
from tests.core.readers import READERS, toy

anything = some.one_of(
    some.text(max_size=40),
    some.text(
        alphabet=" \n\t\u00a0\u200b\u200d\ufe0f\u202e\u0301\u2581Ġ#a猫👍🏽é\u0130\ufb01\x00\ue000\u3164", max_size=30
    ),
)


def check(sample, text):
    count = len(sample)
    for part in (sample.pieces, sample.labels, sample.spans, sample.words, sample.characters, sample.kinds):
        assert len(part) == count
    assert all(kind in {"word", "continuation", "special", "unknown", "byte"} for kind in sample.kinds)
    for label in sample.labels:
        assert label.strip()
        assert not set(label) & set("\n\r\t\u2028\u202e\u200b\x00")
        assert ("\ufffd" in label) <= ("\ufffd" in sample.text)
    placed = [span for span, kind in zip(sample.spans, sample.kinds, strict=True) if kind != "special"]
    assert all(0 <= start <= end <= len(text) for start, end in placed)
    assert [start for start, _ in placed] == sorted(start for start, _ in placed)
    for numbers in (sample.words, sample.characters):
        runs = [number for place, number in enumerate(numbers) if place == 0 or numbers[place - 1] != number]
        known = [number for number in runs if number is not None]
        assert known == sorted(set(known))


def check_reading(reader, text):
    """Only a text of which no piece is left may be refused."""
    if reader.tokenizer.encode(whole(text)).ids:
        check(reader.read(text), text)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150, deadline=None)
@given(text=anything)
@example(text="\ud800\udfff")
@example(text="e\u0301\u0301 \u0301")
@example(text="\u0130\u0130 \u0130")
@example(text="[SEP] <|begin_of_text|>[UNK]")
def test_whatever_is_typed(name, text):
    check_reading(READERS[name], text)


@settings(max_examples=100, deadline=None)
@given(text=anything)
def test_whatever_is_typed_into_the_packaged_models(minilm, smollm2, text):
    check_reading(minilm.reader, text)
    check_reading(smollm2.reader, text)


@settings(max_examples=100, deadline=None)
@given(ids=some.lists(some.integers(0, 399), max_size=12))
def test_whatever_a_model_writes_can_be_read(ids):
    """Bytes in any order, halves of characters, special pieces: a label for each, none blank or broken."""
    sample = toy("llama_lm").of_ids(ids)
    assert len(sample) == len(ids)
    for label in sample.labels:
        assert label.strip()
        assert "\ufffd" not in label
