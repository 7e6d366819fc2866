"""Knobs: a second run beside the first, and one number that says what happened."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import core
from core.analysis import knobs
from core.changes import Drop, NoMask, NoNorm, NoResidual, OneHead, Scale, Temperature, Uniform
from core.engine import LocalEngine, Request
from tests.golden.fixtures import HERE, alone, fixtures_in

TEXT = "The animal didn't cross the street because it was too tired."
CHOICE = core.Choice(layer=13, heads=(8,))
FIXTURES = [one for one in fixtures_in(HERE / "families") if "input_ids" in one.tensors]


@pytest.fixture(scope="module")
def written(smollm2):
    return core.trace(smollm2, core.read(smollm2, TEXT))


def test_without_the_scale_rows_collapse(written):
    told = knobs.turned(written, CHOICE, (Scale(value=1.0),))
    assert told.evenness[1] < 0.2 * told.evenness[0]


def test_without_the_mask_the_future_leaks(written):
    told = knobs.turned(written, CHOICE, (NoMask(),))
    assert told.ahead[0] == 0
    assert told.ahead[1] > 0.1
    later = np.triu(told.after, 1)
    assert told.leak.key == later.sum(0).argmax()
    assert told.leak.share == pytest.approx(later[: told.leak.key, told.leak.key].mean(), rel=1e-5)
    assert knobs.turned(written, CHOICE, (Temperature(value=2.0),)).leak is None


def test_uniform_rows_are_even_and_a_dropped_head_gives_nothing(written):
    chosen = {"layers": (13,), "heads": (8,)}
    assert knobs.turned(written, CHOICE, (Uniform(**chosen),)).evenness[1] == pytest.approx(1, abs=1e-6)
    assert knobs.turned(written, CHOICE, (Drop(**chosen),)).after.sum() == 0


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_at_rest_a_knob_is_the_untouched_model_to_the_last_bit(name):
    model = core.open_model(name)
    at_rest(core.trace(model, core.read(model, TEXT)), 1 / math.sqrt(model.spec.heads.head_width))


@pytest.mark.golden
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_at_rest_a_knob_is_the_untouched_model_in_every_family(fixture):
    trace = alone(fixture, core.open_model(fixture.folder, device="cpu"))[0]
    scales = {layer.scale for side in trace.sides for layer in trace.looking(side).values()}
    for scale in scales if len(scales) == 1 else ():
        at_rest(trace, scale)


def at_rest(untouched, scale):
    """Every map, every state and the end of a run with a knob in its resting place are those of the untouched one."""
    for rest in (Temperature(value=1.0), Scale(value=scale)):
        again = core.trace(untouched.model, untouched.sample, (rest,))
        for side in untouched.sides:
            for layer, seen in untouched.looking(side).items():
                assert again.layer(layer, side).changes == ()
                for head in range(seen.shape[0]):
                    here = layer, head, side
                    np.testing.assert_array_equal(again.pattern(*here), untouched.pattern(*here))
        for side, states in untouched.hiddens.items():
            assert all(map(torch.equal, again.hiddens[side], states))
        np.testing.assert_array_equal(again.final, untouched.final)


def test_a_knob_at_rest_leaves_another_one_as_it_is(written):
    other = knobs.turned(written, CHOICE, (Temperature(value=3.0),))
    for rest in (Temperature(value=1.0), Scale(value=64**-0.5)):
        told = knobs.turned(written, CHOICE, (rest, Temperature(value=3.0)))
        np.testing.assert_array_equal(told.after, other.after)


def test_the_variance_of_scores_is_the_head_width_and_the_scale_takes_it_back():
    told = knobs.widths()
    assert told.variance == pytest.approx(told.widths, rel=0.25)
    assert told.variance_scaled == pytest.approx([1] * 7, abs=0.25)
    assert told.evenness[-1] < 0.1 < 0.8 < told.evenness_scaled[-1]


def test_two_people_with_different_knobs_on_one_model_see_only_their_own():
    engine = LocalEngine()
    knob = [(), (Temperature(value=3.0),), (Temperature(value=0.3),)]

    def look(number):
        ref = engine.trace(Request(model="minilm", text=TEXT, changes=knob[number % 3]))
        return engine.ask(ref, core.analysis.one_map, choice=core.Choice(layer=3, heads=(1,)))

    before = [look(number) for number in range(3)]
    assert np.abs(before[0] - before[1]).max() > 0.1
    engine = LocalEngine()
    with ThreadPoolExecutor(6) as pool:
        for number, found in enumerate(pool.map(look, range(12))):
            np.testing.assert_array_equal(found, before[number % 3])


def test_without_residual_or_norms_the_stream_is_another(written):
    for change in (NoResidual(), NoNorm(layers=(29,))):
        told = knobs.turned(written, CHOICE, (change,))
        assert told.final > 0.1
        before, after = told.signal
        assert len(before) == len(after) == 31
        assert before[0] == after[0]
        assert before[-1] != pytest.approx(after[-1], rel=0.1)


def test_a_residual_left_out_in_one_layer_leaves_its_parts_output(minilm):
    sample = core.read(minilm, TEXT)
    found = core.trace(minilm, sample, (NoResidual(layers=(2,)), NoNorm(layers=(2,))))
    stages = core.analysis.explain(core.trace(minilm, sample), 2, 0, 5, 5).stages
    np.testing.assert_array_equal(found.hidden(2), core.trace(minilm, sample).hidden(2))
    assert np.abs(found.hidden(3)[5] - stages[-1].values).max() > 0.1
    assert all(layer.changes == () for layer in found.layers())


def test_one_head_gives_every_head_the_mean_pattern(minilm):
    sample = core.read(minilm, TEXT)
    mean = np.mean([core.trace(minilm, sample).pattern(0, head) for head in range(12)], axis=0)
    found = core.trace(minilm, sample, (OneHead(),))
    np.testing.assert_allclose(found.pattern(0, 7), mean, atol=1e-6)
