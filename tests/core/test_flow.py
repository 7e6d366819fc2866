"""What each part adds is what it gave, and the gradient is the one that the whole model has."""

import numpy as np
import pytest
import torch

import core
from core.analysis import explain, flow
from core.blocks.untrained import drawn
from core.changes import NoNorm
from core.walk import Walk
from tests.golden.fixtures import HERE, alone, fixtures_in

TEXT = "The animal didn't cross the street because it was too tired."
FIXTURES = [one for one in fixtures_in(HERE / "families") if "input_ids" in one.tensors]


@pytest.fixture(scope="module")
def tired(minilm):
    return core.trace(minilm, core.read(minilm, TEXT))


def opened(name):
    fixture = next(one for one in FIXTURES if one.name == name)
    return alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]


def size(vector):
    return np.sqrt((np.asarray(vector, np.float64) ** 2).mean())


def test_what_a_part_adds_is_its_output_over_what_entered(tired):
    mixer, feed = flow.sublayers(tired)
    assert (mixer.part, feed.part) == ("mixer", "feed_forward")
    assert mixer.sizes.shape == (6, len(tired.sample))
    stages = {stage.part: stage.values for stage in explain(tired, layer=3, head=0, query=7, key=0).stages}
    for one in (mixer, feed):
        assert one.sizes[3, 7] == pytest.approx(size(stages[one.part]) / size(tired.hidden(3)[7]), rel=1e-4)


def test_where_a_norm_comes_after_the_part_the_norm_is_what_is_added():
    trace = opened("olmo2_lm")
    stages = {stage.part: stage.values for stage in explain(trace, layer=1, head=0, query=2, key=0).stages}
    mixer = flow.sublayers(trace)[0]
    assert mixer.sizes[1, 2] == pytest.approx(size(stages["mixer_norm"]) / size(trace.hidden(1)[2]), rel=1e-4)


def test_a_decoder_that_reads_adds_three_times_and_a_layer_without_feed_forward_once():
    assert [one.part for one in flow.sublayers(opened("t5_relu_tied"), "decoder")] == ["mixer", "cross", "feed_forward"]
    assert [one.part for one in flow.sublayers(opened("t5_relu_tied"), "encoder")] == ["mixer", "feed_forward"]
    assert [one.part for one in flow.sublayers(opened("mamba_lm"))] == ["mixer"]


def test_layer_by_layer_is_the_gradient_of_the_whole_stack(tired):
    side, states = tired.model.side("encoder"), tired.hiddens["encoder"]
    whole = [states[0].clone().requires_grad_()]
    with torch.enable_grad():
        walk = Walk(positions=torch.arange(len(tired.sample))[None])
        for number, layer in enumerate(side.layers):
            whole.append(layer(whole[-1], walk, core.tape.Place("encoder", number)))
        final = side.final(whole[-1])
        wanted = torch.autograd.grad((final * drawn(*final.shape, seed=0)).sum(), whole)
    found = flow.gradients(tired)
    np.testing.assert_allclose(found, [one[0].pow(2).mean(-1).sqrt().numpy() for one in wanted], rtol=1e-3)


def test_a_gradient_leaves_the_model_as_it_was(tired):
    flow.gradients(tired)
    assert all(one.grad is None and not one.requires_grad for one in tired.model.network.parameters())
    assert not any(module._forward_hooks for module in tired.model.network.modules())


def test_with_add_and_norm_the_gradient_stays_in_reach_and_without_norms_it_does_not(tired):
    bare = core.trace(tired.model, tired.sample, (NoNorm(),))
    with_both, without = flow.gradients(tired), flow.gradients(bare, changes=(NoNorm(),))
    assert 0.2 < size(with_both[0]) / size(with_both[-1]) < 5
    assert size(without[0]) > 100 * size(without[-1])


@pytest.mark.golden
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_every_family_has_parts_and_a_gradient(fixture):
    trace = alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]
    for side in trace.hiddens:
        found = flow.gradients(trace, side)
        assert np.isfinite(found).all()
        assert found.shape[0] == len(trace.hiddens[side])
        assert all((one.sizes[~np.isnan(one.sizes)] > 0).all() for one in flow.sublayers(trace, side))


def test_a_side_that_there_is_not_is_refused(tired):
    for ask in (flow.sublayers, flow.gradients):
        with pytest.raises(core.CoreError) as caught:
            ask(tired, "cross")
        assert caught.value.key == "unknown_side"
