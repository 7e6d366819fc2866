"""The recall experiment: the tasks ask what they say, contestants have one size, and a seed says everything."""

import json

import pytest
import torch

import core
from core.models.mixing import untrained
from core.training.recall import __main__ as command
from core.training.recall.contestants import CONTESTANTS, SIZE, config
from core.training.recall.tasks import ASKED, BLANK, KEYS, PIECES, induction, recall
from core.training.recall.teaching import Teaching, answers, carried, right, taught


def source(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("pairs", "length"), [(1, 4), (3, 20), (24, 64), (64, 256)])
def test_every_question_was_told_before(pairs, length):
    rows = recall(7, pairs=pairs, length=length, source=source())
    for given, wanted in zip(rows.given.tolist(), rows.wanted.tolist(), strict=True):
        told = dict(zip(given[: 2 * pairs : 2], given[1 : 2 * pairs : 2], strict=True))
        assert len(told) == pairs
        asked = [place for place, value in enumerate(wanted) if value]
        assert len(asked) == len({given[place] for place in asked}) == min(pairs, ASKED)
        assert all(told[given[place]] == wanted[place] for place in asked)
        assert all(0 < key <= KEYS < told[key] < PIECES for key in told)
        assert set(given[2 * pairs : asked[0]]) <= {BLANK}


@pytest.mark.parametrize("length", [16, 64, 200])
def test_what_comes_again_stood_once_before_and_its_follower_is_wanted(length):
    rows = induction(9, length=length, source=source())
    for given, wanted in zip(rows.given.tolist(), rows.wanted.tolist(), strict=True):
        asked = [place for place, value in enumerate(wanted) if value]
        for place in asked:
            before = given[: asked[0]]
            assert before.count(given[place]) == 1
            assert before[before.index(given[place]) + 1] == wanted[place]


def test_all_contestants_have_one_size():
    sizes = {
        name: sum(part.numel() for part in untrained(config(name), seed=0)[1].parameters()) for name in CONTESTANTS
    }
    assert all(abs(size - SIZE) < 0.005 * SIZE for size in sizes.values()), sizes


@pytest.mark.parametrize("name", CONTESTANTS)
def test_a_contestant_learns_and_a_seed_says_everything(name):
    def learnt():
        teaching = Teaching(name=name, seed=3, steps=2)
        assert list(teaching.learn()) == [1, 2]
        return teaching

    one, other = learnt(), learnt()
    assert one.losses == other.losses
    assert one.losses[0] != Teaching(name=name, seed=4, steps=2).losses
    for mine, yours in zip(one.network.parameters(), other.network.parameters(), strict=True):
        assert torch.equal(mine, yours)
        assert mine.isfinite().all()


def test_a_row_that_holds_the_answer_is_needed():
    """Asked about another row's keys, the same network is right no more often than by chance."""
    exercise = recall(40, pairs=8, length=64, source=source())
    network = untrained(config("full"), seed=0)[1]
    assert answers(network, exercise).shape == (40 * 8, PIECES)
    assert right(network, exercise) < 0.2


def test_states_are_counted():
    """Softmax keeps keys and values of every position (in both layers), the others what they always do."""
    full = untrained(config("full"), seed=0)[1]
    near = 3 * 64
    assert carried(full, 64) == 4 * (2 * 2 * 64 * 64 + near)
    for name in ("linear", "gated_delta", "mamba2", "lstm", "dilated"):
        network = untrained(config(name), seed=0)[1]
        assert carried(network, 64) == carried(network, 256) > 0


def test_steps_differ():
    assert not torch.equal(taught(0, 0).given, taught(0, 1).given)
    assert not torch.equal(taught(0, 0).given, taught(1, 0).given)


def test_a_run_leaves_weights_that_open_and_is_not_run_twice(tmp_path):
    given = ["--out", str(tmp_path), "--names", "lstm", "--seeds", "5", "--steps", "1"]
    assert command.main(given) == 0
    folder = tmp_path / "lstm-5"
    told = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    assert told["config"] == config("lstm") == json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert {point[0] for point in told["recall"]} == {64, 128, 256}
    model = core.open_model(folder, device="cpu")
    sample = core.read(model, text="k3 v9 k64 v64 · k3")
    assert sample.ids.tolist() == [3, KEYS + 9, 64, KEYS + 64, 0, 3]
    assert core.trace(model, sample).logits().shape == (6, PIECES)
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert command.main(given) == 0
    assert (folder / "model.safetensors").stat().st_mtime_ns == written
