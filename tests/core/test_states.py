"""Layers that carry a state: the recurrence as the paper writes it, its form in chunks, what is carried while writing,
and no pattern where nobody looks."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import core
from core.cache import Cache
from core.mixers.before import Before
from core.mixers.recurrence import BLOCK, CHUNK, in_chunks, scalar, selective
from core.mixers.statespace import StateSpace
from core.tape import Place
from core.walk import Walk
from tests.core.changed import EIGHT, changed, opened, with_settings

CARRYING = ("mamba_lm", "mamba_biases", "mamba2_lm", "jamba_lm")
PLACE = Place("decoder", 0)
each = pytest.mark.parametrize("name", CARRYING)


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def mixer_of(name):
    return next(part for part in opened(name, dtype=torch.float64).network.modules() if isinstance(part, StateSpace))


def by_head(length, seed=0):
    values, write, read = (
        drawn(2, length, 3, 4, seed=seed),
        drawn(2, length, 3, 5, seed=1),
        drawn(2, length, 3, 5, seed=2),
    )
    return values, drawn(2, length, 3, seed=3).exp(), -drawn(3, seed=4).exp(), write, read, drawn(2, 3, 4, 5, seed=5)


def test_one_number_with_one_number_of_state_by_hand():
    """h = e^(-0.5) 0 + 0.5 * 2 * 3 = 3, then e^(-1) 3 + 1 * 1 * 4; read with 10 and with 100."""
    row = [torch.tensor([[[a], [b]]]) for a, b in ((3.0, 4.0), (0.5, 1.0), (2.0, 1.0), (10.0, 100.0))]
    values, steps, write, read = row
    found, state = selective(values, steps, torch.tensor([[-1.0]]), write, read, torch.zeros(1, 1, 1))
    assert found[0, :, 0].tolist() == pytest.approx([30, 100 * (3 * np.exp(-1) + 4)])
    assert state.item() == pytest.approx(3 * np.exp(-1) + 4)


@pytest.mark.parametrize("length", [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5])
def test_chunks_equal_the_recurrence(length):
    given = by_head(length)
    for one, other in zip(scalar(*given), in_chunks(*given), strict=True):
        assert torch.allclose(one, other, rtol=1e-6, atol=1e-9)


def test_gradients_of_chunks_are_those_of_the_recurrence():
    found = []
    for run in (scalar, in_chunks):
        given = [part.clone().requires_grad_() for part in by_head(CHUNK + 9)]
        run(*given)[0].square().sum().backward()
        found.append([part.grad for part in given])
    assert all(torch.allclose(one, other, rtol=1e-5, atol=1e-8) for one, other in zip(*found, strict=True))


def test_a_chunk_that_forgets_everything_stays_finite():
    """Steps so long that the decay of a chunk is far below what float32 holds."""
    values, _, decay, write, read, state = (part.float() for part in by_head(2 * CHUNK))
    found, last = in_chunks(values, torch.full(values.shape[:3], 80.0), decay, write, read, state)
    assert found.isfinite().all()
    assert last.isfinite().all()


@pytest.mark.parametrize("cut", [1, BLOCK, 50])
def test_a_state_that_is_handed_on_makes_one_text_of_two(cut):
    values, steps, decay = drawn(2, 70, 3), drawn(2, 70, 3, seed=1).exp(), -drawn(3, 5, seed=2).exp()
    write, read, state = drawn(2, 70, 5, seed=3), drawn(2, 70, 5, seed=4), drawn(2, 3, 5, seed=5)
    whole, last = selective(values, steps, decay, write, read, state)
    first, between = selective(values[:, :cut], steps[:, :cut], decay, write[:, :cut], read[:, :cut], state)
    rest, end = selective(values[:, cut:], steps[:, cut:], decay, write[:, cut:], read[:, cut:], between)
    assert torch.allclose(whole, torch.cat((first, rest), 1))
    assert torch.allclose(last, end)


@pytest.mark.parametrize("kernel", [1, 2, 4])
def test_a_convolution_looks_back_only_and_goes_on_where_it_was(kernel):
    part = Before(3, kernel, bias=True).double()
    hidden = drawn(2, 9, 3)
    whole, last = part(hidden, None)
    first, between = part(hidden[:, :4], None)
    rest, end = part(hidden[:, 4:], between)
    assert torch.allclose(whole, torch.cat((first, rest), 1))
    assert torch.equal(last, end)
    by_hand = sum(part.weight[:, 0, -1 - back] * hidden[:, 8 - back] for back in range(kernel)) + part.bias
    assert torch.allclose(whole[:, 8], by_hand)


@each
def test_one_at_a_time_equals_all_at_once(name):
    mixer, cache = mixer_of(name), Cache()
    hidden = drawn(2, CHUNK + 6, mixer.input.in_features)
    walk = Walk(positions=torch.arange(CHUNK + 6)[None])
    whole = mixer(hidden, walk, PLACE)
    one = [mixer(hidden[:, place : place + 1], replace(walk, cache=cache), PLACE) for place in range(CHUNK + 6)]
    assert torch.allclose(whole, torch.cat(one, 1), rtol=1e-6, atol=1e-8)


@each
def test_what_is_carried_does_not_grow(name):
    mixer, cache = mixer_of(name), Cache()
    sizes = set()
    for length in (1, 40):
        mixer(drawn(1, length, mixer.input.in_features), Walk(positions=torch.arange(length)[None], cache=cache), PLACE)
        sizes.add(tuple(part.shape for part in cache.carried[PLACE]))
    assert len(sizes) == 1


@each
def test_padding_writes_nothing(name):
    mixer = mixer_of(name)
    hidden, keep = drawn(1, 9, mixer.input.in_features), torch.tensor([[False] * 4 + [True] * 5])
    padded = mixer(hidden, Walk(positions=torch.arange(9)[None], keep=keep), PLACE)[:, 4:]
    assert torch.allclose(padded, mixer(hidden[:, 4:], Walk(positions=torch.arange(5)[None]), PLACE))


@each
def test_the_future_does_not_reach_the_past(name):
    mixer, walk = mixer_of(name), Walk(positions=torch.arange(9)[None])
    hidden = drawn(1, 9, mixer.input.in_features)
    other = torch.cat((hidden[:, :5], -hidden[:, 5:]), 1)
    one, two = (mixer(given, walk, PLACE) for given in (hidden, other))
    assert torch.allclose(one[:, :5], two[:, :5], rtol=1e-9)
    assert not torch.allclose(one[:, 5:], two[:, 5:])


@pytest.mark.parametrize("name", CARRYING[:3])
@pytest.mark.parametrize("ask", [core.Trace.layers, core.Trace.looking, core.Trace.overview, core.analysis.maps])
def test_where_nobody_looks_there_is_no_pattern(name, ask):
    trace = core.trace(opened(name), EIGHT)
    assert trace.sides == ()
    with pytest.raises(core.CoreError) as caught:
        ask(trace)
    assert caught.value.key == "no_pattern"
    assert trace.logits([7]).shape == (1, opened(name).spec.pieces)


def test_a_hybrid_has_the_patterns_of_the_layers_that_look():
    trace = core.trace(opened("jamba_lm"), EIGHT)
    assert (trace.sides, list(trace.looking()), len(trace.layers())) == (("decoder",), [1], 3)
    assert trace.pattern(1, 0).shape == (8, 8)
    for layer in (0, 2):
        with pytest.raises(core.CoreError) as caught:
            trace.pattern(layer, 0)
        assert caught.value.key == "no_pattern"
        assert caught.value.values == {"name": "jamba_lm", "came": layer, "allowed": "1"}
    with pytest.raises(core.CoreError) as caught:
        trace.pattern(3, 0)
    assert caught.value.key == "out_of_range"


def test_the_maps_of_a_hybrid_show_layers_that_carry_as_ones_in_which_nobody_may_look():
    trace = core.trace(opened("jamba_lm"), EIGHT)
    maps = core.analysis.maps(trace)
    assert maps.cells.shape == (3, 6, 8, 8)
    assert not maps.cells[[0, 2]].any()
    assert maps.rules[maps.rule_of[0]] == maps.rules[maps.rule_of[2]] == ((0, 0),) * 8
    assert maps.rule_at(None) == maps.rule_at(1) == tuple((0, row + 1) for row in range(8))
    assert [maps.blank(layer) for layer in (0, 1, 2, None)] == [True, False, True, False]
    assert not trace.overview(4)[[0, 2]].any()
    mean = core.analysis.one_map(trace, core.Choice(side="decoder", layer=None, heads=(), query=None, key=None))
    assert np.allclose(mean, np.mean([trace.pattern(1, head) for head in range(6)], axis=0), atol=1e-7)
    senders = core.analysis.senders(trace, 7, 3)
    assert {sender.layer for sender in senders} == {1}
    assert len(senders) == 6
    assert {head.layer for head in core.analysis.positional(trace)} == {1}


@each
def test_without_heads_none_are_told(name):
    heads = opened(name).spec.heads.count
    assert heads == (6 if name == "jamba_lm" else 0)


def test_the_first_folders_call_the_rows_of_pieces_otherwise(tmp_path):
    model = changed(tmp_path, "mamba_lm", rename=lambda name: name.replace("embeddings", "embedding"))
    assert np.array_equal(core.trace(model, EIGHT).final, core.trace(opened("mamba_lm"), EIGHT).final)


WRONG = {
    "mamba_lm": {"hidden_act": "foo"},
    "mamba2_lm": {"num_heads": 5},
    "jamba_lm": {"attn_layer_offset": 3},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_config_that_does_not_fit_is_refused(name, tmp_path):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, name, config=with_settings(**WRONG[name]))
    assert caught.value.key in ("config_value", "unknown_activation")


def test_groups_that_do_not_divide_the_heads_are_refused(tmp_path):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, "mamba2_lm", config=with_settings(n_groups=4))
    assert caught.value.values["name"] == "n_groups"


@pytest.mark.parametrize("infinite", [float("inf"), {"__float__": "Infinity"}, 1e30])
def test_infinity_is_spelled_in_several_ways(tmp_path, infinite):
    model = changed(tmp_path, "mamba2_lm", config=with_settings(time_step_limit=[0.0, infinite]))
    assert np.isfinite(core.trace(model, EIGHT).final).all()


def test_heads_of_attention_may_not_be_none(tmp_path):
    """Only a model that says so has no heads; a config with none is refused."""
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path, "jamba_lm", config=with_settings(num_attention_heads=0, num_key_value_heads=0, head_dim=1))
    assert caught.value.key == "config_lacks"
