"""Saved runs: what lies in assets can be opened, and says what it says; pairs become symbols."""

import pytest

import core
from core import runs

FEW = (("red", "7"), ("blue", "9"), ("red", "8"))


def test_pairs_become_keys_and_values_by_the_order_in_which_they_come():
    sample = runs.paired(FEW, "blue")
    assert sample.ids.tolist() == [1, 65, 2, 66, 1, 67, 2]
    assert sample.labels == ("red", "7", "blue", "9", "red", "8", "blue")


@pytest.mark.parametrize(
    ("told", "asked", "key"),
    [
        ((), "red", "pairs_count"),
        (tuple((str(n), "x") for n in range(65)), "1", "pairs_count"),
        (tuple(("x", str(n)) for n in range(65)), "x", "pairs_count"),
        (FEW, "green", "pairs_asked"),
    ],
)
def test_what_cannot_be_asked_is_refused(told, asked, key):
    with pytest.raises(core.CoreError) as refused:
        runs.paired(told, asked)
    assert refused.value.key == key


@pytest.mark.parametrize("name", ["../translator", "elephant", "full-0"])
def test_only_what_is_there_can_be_opened(name):
    for opening in (runs.contestant, runs.taught):
        with pytest.raises(core.CoreError) as refused:
            opening(name)
        assert refused.value.key == "unknown_choice"
