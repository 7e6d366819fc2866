"""The residual stream by depth, early readings of it, and what a head pushes."""

import numpy as np
import pytest
import torch

import core
from core.analysis import depth, explain
from tests.golden.fixtures import HERE, alone, fixtures_in


@pytest.fixture(scope="module")
def capital(smollm2):
    return core.trace(smollm2, core.read(smollm2, "The capital of France is"))


def test_the_stream_is_measured(capital):
    stream = depth.stream(capital)
    assert stream.sizes.shape == (31, 5)
    np.testing.assert_allclose(
        stream.sizes[4], np.sqrt((capital.hidden(4).astype(np.float64) ** 2).mean(-1)), rtol=1e-5
    )
    one, two = capital.hidden(4)[2], capital.hidden(5)[2]
    assert stream.cosines[4, 2] == pytest.approx(one @ two / np.linalg.norm(one) / np.linalg.norm(two), abs=1e-5)
    assert stream.added[4, 2] == pytest.approx(np.linalg.norm(two - one) / np.linalg.norm(two), rel=1e-4)


def test_the_last_reading_is_the_models_own_prediction_over_the_whole_vocabulary(capital):
    told = depth.lens(capital, position=4, best=3)
    logits = capital.logits([4])[0].astype(np.float64)
    chances = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert len(told) == 30
    assert told[-1][0].label == "Paris"
    assert told[-1][0].probability == pytest.approx(chances.max(), rel=1e-4)
    assert sum(guess.probability for guess in told[-1]) < 1


def test_pushes_are_changes_of_logits(capital):
    written = explain(capital, layer=20, head=3, query=4, key=3).moved.written
    told = depth.pushes(capital, written, 4, best=4)
    rows = capital.model.network.output.pieces.weight.numpy()
    ident, _, push = told.up[0]
    assert push == pytest.approx(float(rows[ident] @ written), rel=1e-4)
    assert push == pytest.approx(float((rows @ written).max()), rel=1e-4)
    assert told.straight
    assert told.down[0][2] == pytest.approx(float((rows @ written).min()), rel=1e-4)


@pytest.mark.parametrize("name", ["bert_mlm", "electra_generator", "opt_after_narrow"])
def test_an_output_head_that_is_more_than_a_product_is_asked_with_and_without(name):
    fixture = next(one for one in fixtures_in(HERE / "families") if one.name == name)
    trace = alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]
    model, side = trace.model, trace.model.sides[-1]
    written = explain(trace, layer=1, head=0, query=1, key=0).moved.written
    told = depth.pushes(trace, written, 1, best=3)
    state = trace.hiddens[side][-1][:, 1:2]
    both = [model.logits(model.side(side).final(one))[0, 0] for one in (state, state - torch.from_numpy(written))]
    change = (both[0] - both[1]).detach().numpy()
    assert not told.straight
    assert told.up[0][2] == pytest.approx(float(change.max()), rel=1e-3, abs=1e-6)
    assert told.up[0][0] == int(change.argmax())


def test_a_model_that_does_not_speak_says_so(minilm):
    trace = core.trace(minilm, core.read(minilm, "Paris"))
    for ask in (lambda: depth.lens(trace, 0), lambda: depth.pushes(trace, np.zeros(384, np.float32), 0)):
        with pytest.raises(core.CoreError) as caught:
            ask()
        assert caught.value.key == "no_output"
    with pytest.raises(core.CoreError):
        depth.stream(trace, side="cross")
