"""Saved runs: what lies in assets can be opened, and says what it says; pairs become symbols."""

import pytest
import torch

import core
from core import runs
from core.mixers import MIXERS
from core.training.recall.tasks import recall
from core.training.recall.teaching import right
from core.training.sentences.teaching import sentences

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


def test_every_mixer_has_a_model_that_opens_and_learnt_more_than_which_words_are_frequent():
    told = {one.name: one for one in runs.sentences()}
    assert set(told) == {kind.name for kind in MIXERS}
    for name, one in told.items():
        model = runs.taught(name)
        assert sum(part.numel() for part in model.network.parameters()) == one.parameters
        assert one.never_taught < 2.2  # nats; frequencies alone leave 4.6


@pytest.mark.parametrize("name", ["lstm", "full", "mamba2"])
def test_what_is_told_of_a_model_is_what_it_does(name):
    model, known = runs.taught(name), set(sentences(0))
    fresh = [row for row in sentences(1) if row not in known][:60]
    losses = []
    for row in fresh:
        logits = torch.from_numpy(core.trace(model, core.Sample.from_ids(row[:-1])).logits())
        losses += torch.nn.functional.cross_entropy(logits, torch.tensor(row[1:]), reduction="none").tolist()
    told = next(one for one in runs.sentences() if one.name == name)
    assert sum(losses) / len(losses) == pytest.approx(told.never_taught, abs=0.1)


@pytest.mark.parametrize("run", [one for one in runs.recall() if not one.seed], ids=lambda run: run.name)
def test_a_saved_run_answers_as_it_is_told(run):
    network = runs.contestant(run.name).network
    source = torch.Generator().manual_seed(5)
    for point in run.recall:
        if point.length == 64:
            found = right(network, recall(64, pairs=point.pairs, length=64, source=source))
            assert found == pytest.approx(point.right, abs=0.12)
