"""Stacks of one mixer: what is around each layer, what a seed says, and when a stack counts as one that trains."""

import json
from dataclasses import replace

import pytest
import torch

import core
from core import runs
from core.training.stacking import __main__ as command
from core.training.stacking.teaching import LENGTH, MIXERS, Stack, frequencies, fresh, learn, never_taught, rows

ONE = runs.Stacked(
    name="lstm",
    around=False,
    losses=((1, 2.0), (2, 3.7), (4, 3.4), (8, 4.1), (16, float("inf"))),
    frequent=4.5,
    steps=1,
    command="",
    machine="",
    date="",
)


@pytest.mark.parametrize("name", MIXERS)
@pytest.mark.parametrize("around", [False, True])
def test_a_stack_learns_and_a_seed_says_everything(name, around):
    one, other = (Stack(name, 2, around=around, seed=3) for _ in range(2))
    assert list(learn(one, 3, 2)) == list(learn(other, 3, 2))
    for mine, yours in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, yours)
    assert not torch.equal(one.words.weight, Stack(name, 2, around=around, seed=4).words.weight)


def test_what_is_around_a_layer_lets_a_word_pass_it():
    """With mixers that say nothing, words still arrive through the residual, and through a bare stack none does."""
    for around, differs in ((True, True), (False, False)):
        stack = Stack("full", 3, around=around, seed=0)
        torch.nn.init.zeros_(stack.mixers[1].output.weight)
        found = stack(torch.tensor([[5, 6, 7], [8, 9, 10]]))
        assert torch.equal(found[0], found[1]) is not differs


def test_sentences_never_taught_are_none_of_those_taught():
    assert len(fresh(0)) == 400
    assert not set(fresh(0)) & set(rows(0))
    assert {len(row) for row in fresh(0)} == {LENGTH + 1}


def test_frequencies_leave_what_a_table_of_counts_leaves():
    """Fewer nats than guessing among all words, more than a stack that was taught leaves."""
    stack = Stack("full", 1, around=True, seed=0)
    list(learn(stack, 0, 150))
    assert never_taught(stack, 0) < frequencies(0) < torch.log(torch.tensor(400.0))


def test_the_deepest_that_trains_is_a_nat_below_frequencies():
    assert ONE.deepest == 4
    assert replace(ONE, losses=((1, 3.6),)).deepest is None


def test_a_run_tells_what_it_did_and_is_not_run_twice(tmp_path):
    given = ["--out", str(tmp_path), "--names", "full", "--depths", "1", "--steps", "1"]
    assert command.main(given) == 0
    paths = sorted(tmp_path.iterdir())
    assert [path.name for path in paths] == ["full-around-01.json", "full-bare-01.json"]
    told = json.loads(paths[0].read_text(encoding="utf-8"))
    assert told["around"] is True
    assert told["steps"] == told["depth"] == 1
    assert told["command"] == "python -m core.training.stacking --names full --seed 0 --steps 1"
    paths[0].write_text("{}", encoding="utf-8")
    assert command.main(given) == 0
    assert paths[0].read_text(encoding="utf-8") == "{}"


def test_saved_stacks_and_times_are_there():
    assert {(one.name, one.around) for one in runs.stacks()} == {
        (name, way) for name in MIXERS for way in (False, True)
    }
    for one in runs.stacks():
        assert one.losses[0][0] == 1
        assert one.deepest is not None
    assert {one.name for one in runs.times()} >= set(MIXERS)
    assert all(0 < one.products < 1 and one.together > 0 for one in runs.times())


def test_the_share_of_products_is_of_the_whole_time():
    """A filter for each channel of its own multiplies no matrices; attention does, and does other things too."""
    assert core.analysis.timing.in_products("near") == 0
    assert 0 < core.analysis.timing.in_products("full") < 1
