"""What mixers cost, counted: operations, what is kept, and the longest chain."""

import pytest

import core
from core.analysis.spending import NAMES, spent

WIDTH = 64


def test_a_short_filter_costs_what_its_formula_says():
    found = spent("near")
    taps, bias, padding = 4, 1, 1
    assert found.work[1] - found.work[0] == (2 * taps + bias + padding) * WIDTH * (1024 - 256)
    assert found.kept == (3 * WIDTH * 4,) * 2


def test_only_looking_at_everything_grows_with_the_square():
    squared = {name for name, _ in NAMES if spent(name).squared}
    assert squared == {"everyone", "full", "summaries", "best"}


def test_what_is_kept_grows_where_keys_are_kept_and_nowhere_else():
    growing = {name for name, _ in NAMES if (kept := spent(name).kept) and kept[1] > kept[0]}
    assert growing == {"full", "summaries", "globals", "best"}
    assert spent("full").kept == (2 * WIDTH * 64 * 4, 2 * WIDTH * 1024 * 4)
    assert spent("lstm").kept == (2 * WIDTH * 4,) * 2
    assert spent("everyone").kept is None


@pytest.mark.parametrize("name", ["elman", "lstm", "gru"])
def test_a_state_handed_on_makes_a_chain_as_long_as_the_text(name):
    few, many = spent(name).chain
    assert many > 1.9 * few
    assert spent(name).serial


@pytest.mark.parametrize("name", ["full", "window", "convolution", "dilated", "around"])
def test_what_looks_everywhere_at_once_has_a_chain_of_one_length(name):
    assert not spent(name).serial
    assert spent(name).abreast > 10 * spent("lstm").abreast


def test_an_unknown_mixer_is_refused():
    with pytest.raises(core.CoreError) as refused:
        spent("elephant")
    assert refused.value.key == "config_value"
