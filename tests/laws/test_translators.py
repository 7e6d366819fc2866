"""The translators that come along: their files, and figures that are computed again from their weights."""

import json
import tomllib

import numpy as np
import pytest
import torch

from core import open_model
from core.training.beginning import untrained
from core.training.language import held_out, minimal_pairs, vocabulary
from core.training.language.tables import FOLDER
from core.training.measuring import FAMOUS, SEED, SOME, famous
from core.training.measuring.accuracy import figures, is_exact, share
from core.training.measuring.answering import answers
from core.training.measuring.confidence import strange_sentences
from core.training.measuring.looking import head_figures
from core.training.recipes import RECIPES, recipe
from core.training.saving import halves
from tests.house.source import ROOT

WEIGHTS, RUNS = ROOT / "assets" / "weights", ROOT / "assets" / "runs" / "training"
NAMES = ("translator", "translator-guided")
ROUNDED = 0.0075  # three sentences of four hundred: another processor adds in another order


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name):
    return open_model(name)


def history(name):
    return json.loads((WEIGHTS / name / "history.json").read_text("utf-8"))


def test_both_and_their_snapshots_are_small(name):
    files = [path for name in NAMES for path in (WEIGHTS / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 25_000_000
    steps = sorted(int(path.stem) for path in (WEIGHTS / name / "steps").iterdir())
    assert steps == history(name)["snapshots"]
    assert set(steps) <= set(recipe(name).snapshots)


def test_its_history_is_that_of_its_recipe(name):
    told = history(name)
    assert told["command"] == f"python -m core.training {name} --seed {told['seed']}"
    assert (told["steps"], told["pairs"]) == (recipe(name).steps, recipe(name).pairs)
    assert told["loss"][-1][0] == told["steps"]
    assert told["floor"] < told["loss"][-1][1] < 1.03


def test_it_was_good_with_both_seeds(name):
    told = history(name)
    assert [one["seed"] for one in (told, *told["other_seeds"])] == [0, 1]
    for one in (told, *told["other_seeds"]):
        pair = one["measured"]["held_out"]["pair"]
        assert pair["exact"] >= 0.98
        assert pair["pronouns"] >= 0.98
        assert one["measured"]["minimal_pairs"]["pronouns"] >= 0.98


def test_its_figures_are_those_of_its_weights(name, model):
    told, found = history(name)["along"]["3500"]["held_out"], figures(model, held_out(SEED, SOME))
    assert (found["count"], found["contested"]) == (told["count"], told["contested"])
    assert found["exact"] == pytest.approx(told["exact"], abs=ROUNDED)
    assert found["pronouns"] == pytest.approx(told["pronouns"], abs=2 * ROUNDED)


def test_it_translates_the_famous_sentences(model):
    wanted = tomllib.loads((FOLDER / "famous.toml").read_text("utf-8"))
    assert dict(zip(FAMOUS, famous(model), strict=True)) == wanted


def test_it_did_not_begin_so(name):
    begun = open_model(name, step=0)
    assert famous(begun) != list(tomllib.loads((FOLDER / "famous.toml").read_text("utf-8")).values())
    fresh = untrained(name, recipe(name), vocabulary(), seed=0, device=torch.device("cpu"))
    halved = {name: part.float() for name, part in halves(fresh.network).items()}
    assert all(torch.equal(part, halved[name]) for name, part in begun.network.named_parameters())


def test_its_last_snapshot_is_the_model(name, model):
    last = open_model(name, step=recipe(name).steps)
    pairs = zip(model.network.parameters(), last.network.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_it_is_unsure_of_what_it_was_never_taught(name, model):
    told = history(name)["measured"]["confidence"]
    below = share(answer.least < told["threshold"] for answer in answers(model, strange_sentences()))
    assert below == pytest.approx(told["strange_below"], abs=0.06)  # two of thirty-nine
    assert below > 0.5
    pairs = held_out(SEED, 200)
    known = answers(model, [pair.english for pair in pairs])
    assert share(one.least < told["threshold"] for one in known) < 0.05


def test_the_guided_one_looks_from_it_to_the_noun():
    nudge = recipe("translator-guided").nudge
    head = head_figures(open_model("translator-guided"), seed=SEED, count=25)["it"][nudge.layer][nudge.head]
    assert head["preferred"] >= 0.95
    assert head["antecedent"] > 0.9 > 0.1 > head["rival"]


def test_the_plain_one_looks_from_the_adjective():
    told = history("translator")["measured"]["telling"]["adjective"]
    heads = head_figures(open_model("translator"), seed=SEED, count=25)
    found = heads["adjective"][told[0]][told[1]]
    assert found["preferred"] >= 0.95
    assert found["antecedent"] > 0.9 > 0.1 > found["rival"]


def test_maps_that_are_told_are_the_models_own(name, model):
    from core.inputs import read
    from core.tracing import trace

    told = history(name)["measured"]["maps"]
    english, french = next(iter(tomllib.loads((FOLDER / "famous.toml").read_text("utf-8")).items()))
    seen = trace(model, read(model, english, target=french))
    assert list(seen.sample.labels) == told["read"]
    assert np.allclose(seen.pattern(1, 0, "encoder"), told["encoder"][1][0], atol=0.002)  # told in three digits


@pytest.mark.parametrize("run", sorted(set(RECIPES) - set(NAMES)))
def test_a_short_run_tells_how_it_went(run):
    told = json.loads((RUNS / f"{run}.json").read_text("utf-8"))
    assert (told["name"], told["command"]) == (run, f"python -m core.training {run} --seed 0")
    assert told["loss"][-1][0] == told["steps"] == recipe(run).steps
    assert np.shape(told["measured"]["maps"]["encoder"])[:2] == (3, recipe(run).sizes["heads"])
    assert told["snapshots"] == []


def test_both_of_a_minimal_pair_are_right(model):
    told = [pair for both in minimal_pairs(SEED, 25) for pair in both]
    found = answers(model, [pair.english for pair in told])
    assert share(is_exact(pair, one) for pair, one in zip(told, found, strict=True)) > 0.95
