"""Labels of vocabularies with ▁ for spaces and with single bytes: nothing blank, nothing taken for a marker."""

from pathlib import Path

import pytest

import core

FAMILIES = Path(__file__).parents[1] / "golden" / "families"


@pytest.fixture(scope="module")
def mistral():
    return core.open_model(FAMILIES / "mistral_window")


def test_white_space_is_visible_and_kept(mistral):
    sample = core.read(mistral, "a  b\n\tc")
    assert sample.labels == ("<s>", "a", "·", "b", "↵", "⇥", "c")
    assert sample.notes == ()


def test_a_character_in_bytes_shows_which_byte_of_how_many(mistral):
    sample = core.read(mistral, "刺")
    assert [label.replace("\u202f", " ") for label in sample.labels[2:]] == ["⟨E5⟩ 1/3", "⟨88⟩ 2/3", "⟨BA⟩ 3/3"]
    assert sample.kinds[2:] == ("byte",) * 3
    assert {sample.surface(place) for place in (2, 3, 4)} == {"刺"}


def test_signs_that_look_like_markers_stay(mistral):
    labels = core.read(mistral, "## <0x0A>").labels
    assert "".join(labels[1:]).replace("·", "") == "##<0x0A>"


def test_white_space_that_made_no_difference_is_told():
    bert = core.open_model(FAMILIES / "bert_mlm")
    assert "collapsed" in [note.key for note in core.read(bert, "a  b\n c").notes]
    assert "collapsed" not in [note.key for note in core.read(bert, "a b c").notes]
