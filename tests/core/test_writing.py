"""How an answer was written: the steps are those of decoding, and nothing is left out of the probabilities."""

import numpy as np
import pytest

import core
from core import analysis
from tests.core.changed import EIGHT, opened

writing = analysis.writing


@pytest.fixture(scope="module", params=["marian_mt", "bart_lm", "t5_relu_tied"])
def told(request):
    model = opened(request.param)
    trace = core.trace(model, EIGHT)
    return model, trace, writing.writing(trace)


def test_every_step_is_one_of_decoding(told):
    model, trace, found = told
    limit = len(trace.sample.target) + 1 - len(model.spec.start)
    steps = list(core.generate(model, EIGHT, limit=limit))
    assert [moment.written.ident for moment in found.moments] == [step.ident for step in steps]
    for moment, step in zip(found.moments, steps, strict=True):
        raised = np.exp(step.logits.astype(float) - step.logits.max())
        chances = raised / raised.sum()
        assert moment.written.probability == pytest.approx(chances[step.ident], abs=1e-4)
        assert moment.entropy == pytest.approx(-(chances * np.log2(chances)).sum(), abs=1e-3)
        assert [one.probability for one in moment.best] == pytest.approx(sorted(chances)[::-1][:10], abs=1e-4)


def test_the_likeliest_come_first_and_the_rows_are_those_that_look(told):
    model, trace, found = told
    assert found.pieces == model.spec.written_pieces
    first = len(model.spec.start) - 1
    assert [moment.row for moment in found.moments] == list(range(first, len(trace.sample.target)))
    for moment in found.moments:
        assert len(moment.best) == 10
        assert [one.probability for one in moment.best] == sorted(one.probability for one in moment.best)[::-1]
        assert moment.closes == (moment.written.ident in model.spec.ends)
    assert found.least.written.probability == min(moment.written.probability for moment in found.moments)


def test_every_head_of_a_side_exactly(told):
    _, trace, _ = told
    for side in trace.sides:
        found = writing.looks(trace, side)
        assert np.array_equal(found[1, 2], trace.pattern(1, 2, side))
        np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)


def test_what_a_model_can_read(told):
    model, trace, _ = told
    known = writing.vocabulary(trace)
    assert 0 < len(known) < model.spec.pieces
    assert not {"<pad>", "</s>", "<unk>"} & set(known)


def test_a_model_that_does_not_answer_says_so(minilm):
    with pytest.raises(core.CoreError) as refused:
        writing.writing(core.trace(minilm, core.read(minilm, "The cat")))
    assert refused.value.key == "no_answer"
