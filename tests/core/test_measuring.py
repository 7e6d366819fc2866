"""Measuring a translator: what counts as right, where heads look, and when an answer is unsure."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.decoding import generate
from core.inputs import read
from core.tracing import trace
from core.training import measuring
from core.training.batches import Marks
from core.training.beginning import config_of, tokenizers, untrained
from core.training.language import Pair, held_out, minimal_pairs, pairs, split_english, split_french, vocabulary
from core.training.loop import begun
from core.training.measuring import FAMOUS, Answer, accuracy, answers, confidence, telling
from core.training.measuring import __main__ as command
from core.training.measuring.looking import head_figures
from core.training.recipes import recipe
from core.training.saving import HISTORY, Folder
from core.training.telling import spelled, story


@pytest.fixture(scope="module")
def model():
    """A translator that has learnt nothing."""
    return untrained("translator", recipe("translator"), vocabulary(), seed=0, device=torch.device("cpu"))


def right(pair):
    return Answer(words=split_french(pair.french), least=0.9)


def wrong(pair):
    other = {"il": "elle", "elle": "il", "ils": "elles", "elles": "ils"}
    return Answer(words=tuple(other.get(word, word) for word in split_french(pair.french)), least=0.5)


@pytest.fixture(scope="module")
def contested():
    return [pair for pair in held_out(0, 100) if accuracy.is_contested(pair)]


def test_contested_is_what_il_and_elle_decide(contested):
    assert len(contested) > 20
    assert all(split_english(pair.english)[pair.it] in {"it", "they"} for pair in contested)
    famous = Pair(english=FAMOUS[0], french="", kind="class", nouns=("animal", "street"), it=7)
    assert accuracy.is_contested(famous)
    assert not accuracy.is_contested(next(pair for pair in pairs(0, 100) if pair.kind == "human"))
    assert not accuracy.is_contested(next(pair for pair in pairs(0, 100) if pair.it is None))


def test_a_translation_is_right_word_for_word(contested):
    assert all(accuracy.is_exact(pair, right(pair)) for pair in contested)
    assert not any(accuracy.is_exact(pair, wrong(pair)) for pair in contested)


def test_a_pronoun_is_right_when_it_is_said_once_and_fits(contested):
    pair = contested[0]
    twice = Answer(words=right(pair).words * 2, least=1.0)
    assert accuracy.has_right_pronoun(pair, right(pair))
    assert not accuracy.has_right_pronoun(pair, wrong(pair))
    assert not accuracy.has_right_pronoun(pair, twice)


def test_figures_count_what_is_right(monkeypatch, contested):
    monkeypatch.setattr(
        accuracy, "answers", lambda *_: [(right, wrong)[number % 4 == 0](pair) for number, pair in enumerate(contested)]
    )
    found = accuracy.figures(None, contested)
    bad = -(-len(contested) // 4)
    assert found["count"] == found["contested"] == len(contested)
    assert found["exact"] == found["pronouns"] == round(1 - bad / len(contested), 4)
    assert set(found["kinds"]) == {pair.kind for pair in contested}


def test_both_of_a_minimal_pair_have_to_be_right(monkeypatch):
    told = [pair for both in minimal_pairs(0, 4) for pair in both]
    given = [right(pair) for pair in told]
    given[0] = Answer(words=("il",), least=1.0)
    monkeypatch.setattr(accuracy, "answers", lambda *_: given)
    assert accuracy.minimal_figures(None, seed=0, count=4)["exact"] == 0.75


def test_many_at_once_are_answered_like_one_after_another(model):
    sentences = [*FAMOUS, "The dog was tired.", "A zebra slept"]
    for sentence, answer in zip(sentences, answers(model, sentences), strict=True):
        steps = list(generate(model, read(model, sentence), limit=32))
        words = [vocabulary().french[step.ident] for step in steps]
        ends = words.index("</s>") if "</s>" in words else len(words)
        assert answer.words == tuple(words[:ends])
        least = min(torch.tensor(step.logits).softmax(-1).max().item() for step in steps[: ends + 1])
        assert answer.least == pytest.approx(least, rel=1e-4)  # two orders of adding


def test_looking_reads_the_pattern_at_the_named_places(model):
    found = head_figures(model, seed=0, count=1)
    told = minimal_pairs(0, 1)[0]
    traces = [trace(model, read(model, pair.english, target=pair.french)) for pair in told]
    seen = [one.pattern(1, 2, "encoder")[pair.it, pair.antecedent] for one, pair in zip(traces, told, strict=True)]
    assert found["sentences"] == 2
    assert found["it"][1][2]["antecedent"] == pytest.approx(np.mean(seen), abs=1e-4)
    crossed = [one.pattern(0, 3, "cross")[pair.french_pronoun, pair.it] for one, pair in zip(traces, told, strict=True)]
    assert found["cross"][0][3]["it"] == pytest.approx(np.mean(crossed), abs=1e-4)


def test_the_telling_head_prefers_most():
    heads = [
        [{"antecedent": 0.5, "rival": 0.5}, {"antecedent": 0.4, "rival": 0.1}],
        [{"antecedent": 0.6, "rival": 0.4}],
    ]
    assert telling(heads) == (0, 1)


def test_the_threshold_lets_nearly_all_right_answers_pass(monkeypatch):
    told = held_out(0, 200)
    given = [
        Answer(words=split_french(pair.french) if number % 10 else (), least=0.9 if number % 10 else 0.4)
        for number, pair in enumerate(told)
    ]
    monkeypatch.setattr(
        confidence,
        "answers",
        lambda _, sentences, __: given if len(sentences) == 200 else [Answer(words=(), least=0.3)],
    )
    found = confidence.confidence_figures(None, seed=0, count=200)
    assert found["threshold"] == 0.9
    assert (found["right"], found["wrong"], found["strange"]) == (180, 20, 1)
    assert (found["right_below"], found["wrong_below"], found["strange_below"]) == (0.0, 1.0, 1.0)


def test_nothing_is_told_of_what_was_not_counted():
    assert accuracy.share([]) is None


@pytest.fixture
def folder(tmp_path, model, monkeypatch):
    """What is left of a training that ended before its first step, and little to measure it with."""
    for count in ("MANY", "SOME", "FEW"):
        monkeypatch.setattr(measuring, count, 8)
    made = replace(recipe("translator"), steps=0, snapshots=(0,))
    training, kept = begun(made, 0, model), Folder(path=tmp_path)
    training.losses.append(7.0)
    kept.begin(config_of(made, vocabulary(), Marks()), *tokenizers(vocabulary()))
    kept.snapshot(training)
    kept.history(story(training, "translator", seconds=0.0))
    return tmp_path


def test_figures_are_written_into_the_history(folder):
    assert command.main([str(folder)]) == 0
    assert command.main([str(folder), "--beside", str(folder)]) == 0
    told = json.loads((folder / HISTORY).read_text("utf-8"))
    assert told["measured"]["held_out"]["pair"]["exact"] == 0
    assert len(told["measured"]["famous"]) == 2
    shapes = [np.shape(told["measured"]["maps"][side]) for side in ("encoder", "cross")]
    assert shapes == [(3, 4, 13, 13), (1, 4, 16, 13)]
    assert np.sum(told["measured"]["maps"]["encoder"], axis=-1) == pytest.approx(1, abs=0.01)  # rounded to 3 digits
    assert told["along"]["0"]["minimal_pairs"]["count"] == 2
    assert told["along"]["0"]["heads"]["it"][0][0].keys() == {"antecedent", "rival", "preferred"}
    assert told["other_seeds"][0]["measured"] == told["measured"]
    assert told["measured"]["telling"]["it"] == list(telling(told["measured"]["heads"]["it"]))


def test_what_is_told_can_be_read_by_a_person():
    told = {"loss": [[25, 6.5], [50, -1e-05]], "words": ["a", "b"], "none": []}
    assert json.loads(spelled(told)) == told
    assert "[25, 6.5]" in spelled(told)


def test_a_folder_that_is_none_is_told_in_words(tmp_path, capsys):
    (tmp_path / HISTORY).write_text('{"name": "translator"}', "utf-8")
    assert command.main([str(tmp_path)]) == 1
    assert "config.json" in capsys.readouterr().out
