"""Queries, keys and values are what the file's matrices make of what enters the layer."""

import numpy as np
import pytest

import core
from core.analysis import projections as made
from core.analysis import stacks
from tests.golden.fixtures import HERE, alone, fixtures_in

TEXT = "The animal didn't cross the street because it was too tired."
FIXTURES = {one.name: one for one in fixtures_in(HERE / "families")}


def opened(name):
    return alone(FIXTURES[name], core.open_model(FIXTURES[name].folder, device="cpu"))[0]


def test_berts_queries_are_x_times_w_plus_b(minilm):
    trace = core.trace(minilm, core.read(minilm, TEXT))
    told = made.projections(trace, layer=3, head=1)
    mixer = minilm.side("encoder").layers[3].mixer
    weight, bias = mixer.queries.weight[32:64].numpy(), mixer.queries.bias[32:64].numpy()
    np.testing.assert_allclose(told.queries.projected, told.entering @ weight.T + bias, atol=1e-5)
    assert (told.queries.first, list(told.queries.stages)) == (32, ["multiplied", "projected"])
    np.testing.assert_array_equal(told.queries.weight, weight.T)
    np.testing.assert_allclose(told.queries.multiplied, told.read @ told.queries.weight, atol=1e-5)
    np.testing.assert_allclose(told.queries.projected - told.queries.multiplied, np.tile(bias, (16, 1)), atol=1e-5)
    np.testing.assert_allclose(told.queries.used, trace.layer(3).queries[0, 1].numpy(), atol=1e-5)


def test_grouped_keys_are_shown_as_what_they_are(smollm2):
    trace = core.trace(smollm2, core.read(smollm2, TEXT))
    told = made.projections(trace, layer=13, head=5)
    assert (told.queries.group, told.keys.group, told.values.group) == (5, 1, 1)
    np.testing.assert_array_equal(told.keys.whole[:, 64:128], told.keys.projected)
    assert told.keys.whole.shape[1] == 3 * 64
    assert list(told.keys.stages) == ["projected", "turned"]
    assert not np.allclose(told.entering, told.read)
    np.testing.assert_allclose(told.read @ told.keys.weight, told.keys.projected, atol=1e-3)
    assert told.values.turned is None
    np.testing.assert_allclose(told.keys.projected[0], told.keys.turned[0], atol=1e-4)
    np.testing.assert_allclose(told.keys.used, trace.layer(13).keys[0, 1].numpy(), atol=1e-3)


@pytest.mark.parametrize("name", ["qwen3_lm", "olmo2_lm"])
def test_norms_of_heads_are_a_stage_of_their_own(name):
    trace = opened(name)
    told = made.projections(trace, layer=1, head=1)
    assert told.queries.normed is not None
    assert told.queries.normed.shape == told.queries.projected.shape
    assert np.abs(told.queries.normed - told.queries.projected).max() > 0.01
    assert told.values.normed is None


def test_cross_attention_makes_keys_of_the_source():
    trace = opened("marian_mt")
    told = made.projections(trace, layer=0, head=1, side="cross")
    assert len(told.source) == len(told.keys.used) == len(trace.sample)
    assert len(told.entering) == len(told.queries.used) == len(trace.sample.target)
    np.testing.assert_allclose(told.source, trace.finals["encoder"][0].numpy(), atol=1e-6)


@pytest.mark.golden
@pytest.mark.parametrize("name", [name for name, one in FIXTURES.items() if "input_ids" in one.tensors])
def test_x_times_w_is_what_every_family_begins_with(name):
    trace = opened(name)
    for side in trace.sides:
        for layer, seen in trace.looking(side).items():
            told = made.projections(trace, layer, 0, side)
            for kind, read in (("queries", told.read), ("keys", told.source), ("values", told.source)):
                one = getattr(told, kind)
                begun = one.projected if one.multiplied is None else one.multiplied
                np.testing.assert_allclose(read @ one.weight, begun, atol=1e-4)
                np.testing.assert_allclose(one.used, getattr(seen, kind)[0, 0].numpy(), atol=1e-4)


def test_a_large_matrix_is_drawn_by_the_largest_number_of_each_block():
    matrix = np.zeros((300, 10), np.float32)
    matrix[4, 7], matrix[5, 7], matrix[299, 0] = 1, -3, 2
    cells, block = made.overview(matrix)
    assert (cells.shape, block) == ((100, 10), (3, 1))
    assert (cells[1, 7], cells[99, 0]) == (-3, 2)
    small, one = made.overview(matrix[:128])
    np.testing.assert_array_equal(small, matrix[:128])
    assert one == (1, 1)


def test_alike_finds_the_closest_pair():
    vectors = np.array([[1, 0], [0, 1], [2, 0.1], [-1, 0]], np.float32)
    best = made.alike(vectors, best=2)
    assert (best[0].one, best[0].other) == (0, 2)
    assert best[0].cosine == pytest.approx(1, abs=2e-3)


def test_a_head_that_does_not_exist_is_refused(minilm):
    with pytest.raises(core.CoreError):
        made.projections(core.trace(minilm, core.read(minilm, "Hi")), layer=0, head=12)


@pytest.mark.parametrize("wiring", ["post-norm", "pre-norm"])
def test_with_add_and_norm_signal_and_gradient_live(wiring):
    told = stacks.sizes(wiring, depth=64)
    assert 0.3 < told.signal[-1] < 30
    assert 0.03 < told.gradient[0] < 30


def test_without_norm_the_signal_explodes_and_without_both_it_dies():
    assert stacks.sizes("no-norm", depth=64).signal[-1] > 1e6
    died = stacks.sizes("neither", depth=64)
    assert died.signal[-1] < 1e-6
    assert died.gradient[0] < 1e-6


def test_the_same_stack_every_time():
    assert stacks.sizes("pre-norm", depth=4) == stacks.sizes("pre-norm", depth=4)
