"""MiniLM and SmolLM2 give the numbers of an independent implementation, alone and in a batch."""

import pytest

import core
from tests.golden.real import (
    HIDDEN,
    LOGITS,
    PATTERN,
    SENTENCES,
    logits_distance,
    pattern_distance,
    state_distance,
)

WRITTEN = [sentence for sentence in SENTENCES if sentence.model == "smollm2"]

pytestmark = pytest.mark.golden
each = pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.name)
each_written = pytest.mark.parametrize("sentence", WRITTEN, ids=lambda sentence: sentence.name)


@pytest.fixture
def model(sentence, request):
    return request.getfixturevalue(sentence.model)


@each
def test_the_text_is_cut_into_the_published_pieces(sentence, model):
    sample = core.read(model, sentence.told["text"], sentence.told["pair"])
    assert (sample.ids.tolist(), list(sample.pieces)) == (sentence.told["ids"], sentence.told["tokens"])


@each
def test_patterns_and_hidden_states(sentence, model):
    trace = core.trace(model, sentence.sample())
    assert pattern_distance(sentence, trace) <= PATTERN
    assert state_distance(sentence, trace) <= HIDDEN


@each
@pytest.mark.parametrize("padding", ["left", "right"])
def test_a_batch_changes_nothing(sentence, model, padding):
    longer = core.Sample.from_ids([7] * (len(sentence.sample()) + 5))
    trace = core.trace(model, core.Sample.batch([longer, sentence.sample()], padding=padding)).item(1)
    assert pattern_distance(sentence, trace) <= PATTERN
    assert state_distance(sentence, trace) <= HIDDEN


@each_written
def test_logits(sentence, model):
    assert logits_distance(sentence, core.trace(model, sentence.sample())) <= LOGITS


@each_written
def test_the_greedy_continuation(sentence, model):
    wanted = sentence.tensors["greedy_ids"][0, len(sentence.told["ids"]) :].tolist()
    written = [step.ident for step in core.generate(model, sentence.sample(), limit=len(wanted))]
    assert written == wanted
    if sentence.name == "smollm2_capital":
        assert model.reader.tokenizer.decode(written) == " Paris.\n\nThe answer is: 201"


def test_what_the_two_models_are_known_for(minilm, smollm2):
    """ "it" looks at "animal", with the shares that were published for these heads."""
    known = [(minilm, 3, 1, 10, 2, 0.677), (minilm, 5, 11, 10, 2, 0.673), (smollm2, 13, 8, 8, 1, 0.750)]
    text = "The animal didn't cross the street because it was too tired."
    for model, layer, head, it, animal, share in known:
        sample = core.read(model, text)
        assert (sample.labels[it], sample.labels[animal]) == ("it", "animal")
        assert core.trace(model, sample).pattern(layer, head)[it, animal] == pytest.approx(share, abs=6e-4)
