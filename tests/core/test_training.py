"""Training: schedules and losses as they are written down, batches, and that a seed decides everything."""

import itertools
import json
import math
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

import core
from core.changes import NoPositions, NoResidual, Scale
from core.mixers.softmax import pattern
from core.tape import Place, Tape
from core.training import language, loop, recipes, saving
from core.training.__main__ import main
from core.training.batches import Marks, Numbered, endless, lesson
from core.training.beginning import config_of, tokenizers, untrained
from core.training.corpus import numbered
from core.training.language.tables import nouns
from core.training.loss import floor, plain, smoothed
from core.training.recipes import RECIPES, Nudge, Recipe
from core.training.schedule import Cosine, InverseRoot
from core.training.telling import curve, story

MARKS, WORDS = Marks(), language.vocabulary()
TINY = Recipe(steps=6, snapshots=(0, 2, 6), warm_up=2, pieces=80, pairs=120, nudge=Nudge(until=4))
FAMOUS = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def taught():
    return numbered(language.pairs(0, TINY.pairs), WORDS, MARKS)


def training(recipe=TINY, seed=0):
    return loop.begun(recipe, seed, untrained("tiny", recipe, WORDS, seed=seed, device=torch.device("cpu")))


def done(run, taught, steps=99):
    for _ in itertools.islice(run.steps(taught), steps):
        pass
    return [part.detach().clone() for part in run.model.network.parameters()]


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_papers_schedule_rises_straight_and_falls_with_the_root():
    rate = InverseRoot(width=512, warm_up=4000)
    assert rate(4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    assert rate(1000) == pytest.approx(rate(4000) / 4)
    assert rate(16_000) == pytest.approx(rate(4000) / 2)


def test_the_cosine_rises_to_its_peak_and_falls_to_nothing():
    rate = Cosine(peak=1e-3, warm_up=400, steps=3400)
    assert [rate(step) for step in (200, 400, 1900, 3400)] == pytest.approx([5e-4, 1e-3, 5e-4, 0], abs=2e-6)
    assert rate(4000) == rate(3400)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.2])
def test_the_fast_loss_is_the_loss_as_it_is_written_down(smoothing):
    chance = torch.Generator().manual_seed(0)
    logits = torch.randn(3, 5, 11, generator=chance)
    wanted = torch.tensor([[4, 5, 2, 0, 0], [7, 8, 9, 10, 2], [3, 2, 0, 0, 0]])
    assert smoothed(logits, wanted, smoothing, 0) == pytest.approx(plain(logits, wanted, smoothing, 0).item(), rel=1e-5)


def test_nobody_gets_below_the_floor_and_a_model_that_knows_reaches_it():
    pieces, smoothing = 11, 0.1
    shares = torch.full((pieces,), smoothing / pieces)
    shares[4] += 1 - smoothing
    loss = smoothed(shares.log().expand(1, 1, pieces), torch.tensor([[4]]), smoothing, 0)
    assert loss.item() == pytest.approx(floor(smoothing, pieces), rel=1e-5)
    assert floor(0.0, pieces) == 0
    assert floor(0.1, 659) == pytest.approx(0.9727, abs=1e-4)


def test_every_pair_comes_once_before_any_comes_again(taught):
    places = {id(pair): number for number, pair in enumerate(taught)}
    batches = endless(taught, seed=3, pieces=TINY.pieces)
    for _ in range(2):
        seen = []
        while len(seen) < len(taught):
            seen += [places[id(pair)] for pair in next(batches)]
        assert sorted(seen) == list(range(len(taught)))


def test_a_batch_has_about_as_many_pieces_as_were_asked_for(taught):
    sizes = [sum(len(p.target) + 1 for p in b) for b in itertools.islice(endless(taught, seed=0, pieces=80), 8)]
    assert max(sizes) < 80 + 30
    assert sum(size >= 60 for size in sizes) >= 6


def test_what_is_given_is_what_is_wanted_one_place_later():
    found = lesson(
        [Numbered(source=(5, 6, 2), target=(7, 8), it=1, antecedent=0), Numbered(source=(9, 2), target=(4,))], MARKS
    )
    assert found.source.tolist() == [[5, 6, 2], [9, 2, 0]]
    assert found.given.tolist() == [[1, 7, 8], [1, 4, 0]]
    assert found.wanted.tolist() == [[7, 8, 2], [4, 2, 0]]
    assert found.pointing.tolist() == [[0, 1, 0]]


def test_ids_are_those_of_the_tokenizers():
    pairs = language.pairs(0, 300)
    source, target = tokenizers(WORDS)
    for pair, ids in zip(pairs, numbered(pairs, WORDS, MARKS), strict=True):
        assert tuple(source.encode(pair.english).ids) == ids.source
        assert tuple(target.encode(pair.french).ids) == ids.target
        written = target.decode(list(ids.target))
        assert written[:1].upper() + written[1:] == pair.french


def test_a_place_of_a_pair_is_a_place_of_its_pieces():
    source = tokenizers(WORDS)[0]
    for pair in (pair for pair in language.pairs(1, 100) if pair.kind == "class"):
        pieces = source.encode(pair.english).tokens
        assert pieces[pair.it] in ("it", "they")
        known = [nouns()[noun] for noun in pair.nouns if noun in nouns()]
        assert pieces[pair.antecedent] in {"<unk>", *(form for noun in known for form in (noun.english, noun.plural))}


def test_a_seed_decides_everything(taught):
    one, again, other = (done(training(seed=seed), taught) for seed in (0, 0, 1))
    assert same(one, again)
    assert not same(one, other)


def test_a_training_that_was_interrupted_goes_on_as_if_it_had_not_been(taught, tmp_path):
    whole, first, folder = training(), training(), saving.Folder(path=tmp_path)
    done(first, taught, steps=3)
    folder.keep(first, "tiny")
    torch.manual_seed(12345)
    second = training(seed=0)
    folder.resume(second, "tiny")
    assert second.step == 3
    assert same(done(second, taught), done(whole, taught))
    assert second.losses == whole.losses


@pytest.mark.parametrize(("name", "seed"), [("other", 0), ("tiny", 1)])
def test_another_training_does_not_go_on_in_its_place(name, seed, tmp_path, taught):
    folder, first = saving.Folder(path=tmp_path), training()
    done(first, taught, steps=1)
    folder.keep(first, "tiny")
    with pytest.raises(core.CoreError) as caught:
        folder.resume(training(seed=seed), name)
    assert caught.value.key == "training_differs"


def test_it_learns(taught):
    run = training(replace(TINY, steps=60, warm_up=10, pieces=300))
    done(run, taught)
    assert run.losses[0] > math.log(len(WORDS.french)) - 0.5
    assert sum(run.losses[-5:]) / 5 < run.losses[0] - 1.5


def test_the_nudge_is_the_missing_share_of_the_noun(taught):
    run, tape = training(), Tape(wanted=frozenset({"attention"}))
    found = lesson(taught[:40], MARKS)
    run.forward(found, tape)
    shares = pattern(tape.records["attention", Place("encoder", 1)]).detach()
    wanted = sum(-math.log(shares[row, 0, it, noun] + 1e-6) for row, it, noun in found.pointing.tolist())
    assert len(found.pointing) > 5
    assert loop.nudged(Nudge(), tape, found.pointing, 40).item() == pytest.approx(0.1 * wanted / 40, rel=1e-4)


def test_a_nudge_ends(taught):
    """Its last step is the one before `until`: from there on the training is that of an unguided one."""
    pointing = [one for one in taught if one.it is not None]
    early, late = (done(training(replace(TINY, nudge=Nudge(until=until)), 0), pointing, 2) for until in (1, 2))
    never = done(training(replace(TINY, nudge=None)), pointing, 2)
    assert same(early, never)
    assert not same(late, never)


def test_what_is_left_out_is_left_out(taught):
    batch = lesson(taught[:4], MARKS)
    whole = training(replace(TINY, dropout=0.0))
    logits = whole.forward(batch)[0]
    for change in (NoResidual(), Scale(value=1.0), NoPositions()):
        altered = training(replace(TINY, dropout=0.0, changes=(change,)))
        assert not torch.allclose(altered.forward(batch)[0], logits)


def test_a_short_run_with_one_part_left_out_is_the_short_run_otherwise():
    whole = RECIPES["short"]
    for name in ("no-residual", "no-scale", "no-positions", "one-head"):
        assert replace(RECIPES[name], changes=(), sizes=whole.sizes) == whole
    heads = RECIPES["one-head"].sizes
    assert (heads["heads"] * heads["d_k"], heads["heads"]) == (whole.sizes["heads"] * whole.sizes["d_k"], 1)


def test_the_guided_recipe_is_the_plain_one_and_a_nudge():
    assert replace(RECIPES["translator-guided"], nudge=None) == RECIPES["translator"]
    assert len(RECIPES["translator"].snapshots) <= 12


def test_the_curve_has_every_step_once():
    assert curve([4.0, 2.0, 1.0, 1.0, 3.0], every=2) == [[2, 3.0], [4, 1.0], [5, 3.0]]
    assert curve([]) == []
    assert curve([1.0, 2.0], every=2) == [[2, 1.5]]


@pytest.fixture
def trained(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(recipes.RECIPES, "translator", replace(TINY, nudge=None))
    assert main(["translator", "--seed", "3", "--threads", "1", "--out", str(tmp_path)]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    return tmp_path


def test_what_is_trained_is_a_folder_that_opens_with_its_snapshots(trained):
    told = json.loads((trained / "history.json").read_text())
    assert (told["name"], told["seed"], told["steps"], told["snapshots"]) == ("translator", 3, 6, [0, 2, 6])
    whole, last, first = (core.open_model(trained, device="cpu", step=step) for step in (None, 6, 0))
    parameters = [list(model.network.parameters()) for model in (whole, last, first)]
    assert same(*parameters[:2])
    assert not same(parameters[0], parameters[2])
    assert whole.report.stored == (("F16", len(load_file(trained / "model.safetensors"))),)
    assert not (trained / saving.STATE).exists()
    fresh = untrained("translator", TINY, WORDS, seed=3, device=torch.device("cpu")).network.parameters()
    assert same(parameters[2], [part.half().float() for part in fresh])


def test_a_step_that_was_not_kept_is_told_with_those_that_were(trained):
    with pytest.raises(core.CoreError) as caught:
        core.open_model(trained, step=3)
    assert (caught.value.key, caught.value.values["allowed"]) == ("no_such_step", "0, 2, 6")


def test_a_snapshot_that_lies_elsewhere_is_none(trained, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "00009.safetensors"
    (trained / "steps" / "00006.safetensors").rename(outside)
    (trained / "steps" / "00009.safetensors").symlink_to(outside)
    with pytest.raises(core.CoreError) as caught:
        core.open_model(trained, step=9)
    assert caught.value.key == "no_such_step"


def test_a_translator_is_traced_over_its_own_answer_and_says_what_it_does_not_know(trained):
    model = core.open_model(trained, device="cpu")
    sample = core.read(model, FAMOUS.replace("tired", "exhausted"))
    assert sample.kinds.count("unknown") == 1
    assert sample.labels[-1] == "</s>"
    trace = core.trace(model, sample)
    assert trace.sides == ("encoder", "decoder", "cross")
    assert trace.pattern(0, 0, "cross").shape == (len(trace.sample.target), len(sample))
    given = core.read(model, FAMOUS, target="L'animal n'a pas traversé la rue parce qu'il était trop fatigué.").target
    assert given.labels[:4] == ("<s>", "l'", "animal", "n'")
    assert "unknown" not in given.kinds
    assert (
        model.reader.of_ids(given.ids.tolist()).text
        == "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    )


def test_writing_with_the_cache_is_one_whole_pass(trained):
    model = core.open_model(trained, device="cpu")
    sample = core.read(model, FAMOUS)
    steps = list(core.generate(model, sample, limit=8))
    target = model.reader.of_ids([*model.spec.start, *(step.ident for step in steps[:-1])])
    whole = core.trace(model, replace(sample, target=target)).logits()
    assert max(abs(step.logits - row).max() for step, row in zip(steps, whole, strict=True)) < 1e-4


def test_a_config_says_all_that_a_folder_needs():
    config = config_of(TINY, WORDS, MARKS)
    assert (config["model_type"], config["decoder_start_token_id"], config["eos_token_id"]) == ("vaswani", 1, 2)
    assert config["target_pieces"] == len(WORDS.french)


def test_the_story_says_what_was_done(taught):
    run = training()
    done(run, taught)
    told = story(run, "tiny", seconds=1.26)
    assert told["command"] == "python -m core.training tiny --seed 0"
    assert told["loss"] == [[6, round(sum(run.losses) / 6, 4)]]
    assert told["floor"] == pytest.approx(floor(0.1, len(WORDS.french)), abs=1e-4)
