"""One sentence for every mixer: what is asked of each model, that a seed says everything, and folders that open."""

import random

import pytest
import torch

import core
from core.mixers import MIXERS
from core.training.batches import Marks, padded
from core.training.sentences import __main__ as command
from core.training.sentences import teaching
from core.training.sentences.teaching import BLANK, Teaching, later, left_out, words

ROWS = ((5, 6, 7, 2), (8, 9, 2), (10, 2))


def test_the_next_word_is_wanted():
    given, wanted = later(padded(ROWS, Marks().padding))
    assert given.tolist() == [[5, 6, 7], [8, 9, 2], [10, 2, 0]]
    assert wanted.tolist() == [[6, 7, 2], [9, 2, 0], [2, 0, 0]]


@pytest.mark.parametrize("seed", range(5))
def test_one_word_of_each_row_is_left_out_and_wanted_where_it_stood(seed):
    rows = padded(ROWS, Marks().padding)
    given, wanted = left_out(rows, random.Random(seed))
    blank = words().index(BLANK)
    assert ((given == blank).sum(1) == 1).all()
    assert torch.equal(torch.where(given == blank, wanted, given), rows)
    assert not wanted[given != blank].any()
    assert (wanted[given == blank] != Marks().end).all()


@pytest.mark.parametrize("name", ["lstm", "everyone", "mamba2"])
def test_a_model_learns_and_a_seed_says_everything(name):
    def learnt(seed):
        model = Teaching(name=name, seed=seed, steps=12)
        assert list(model.learn(ROWS * 40)) == [*range(1, 13)]
        return model.losses

    assert learnt(1) == learnt(1) != learnt(2)
    assert sum(learnt(1)[-3:]) < sum(learnt(1)[:3])


def test_every_mixer_is_taught_by_one_command_and_its_folder_opens(tmp_path, monkeypatch):
    monkeypatch.setattr(teaching, "SENTENCES", 120)
    teaching.sentences.cache_clear()
    assert set(command.NAMES) == {kind.name for kind in MIXERS}
    assert command.main(["--out", str(tmp_path), "--names", "gru", "around", "--steps", "2"]) == 0
    teaching.sentences.cache_clear()
    for name, side in (("gru", "decoder"), ("around", "encoder")):
        model = core.open_model(tmp_path / name, device="cpu")
        assert model.sides == (side,)
        sample = core.read(model, text="The animal didn't cross the street because it was too tired.")
        assert "unknown" not in sample.kinds
        assert core.trace(model, sample).logits().shape == (len(sample.ids), len(words()))
