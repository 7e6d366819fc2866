"""What takes from what: shares, factors and Jacobians on one scale; gates; how far gradients and words travel."""

import sys

import numpy as np
import pytest
import torch

import core
from core.analysis import flow, forgetting
from core.mixers import MIXERS
from tests.core.changed import opened
from tests.core.test_mixing import folder
from tests.core.test_mixing import opened as opened_folder

NAMES = [kind.name for kind in MIXERS]


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    def make(name):
        model = opened_folder(folder(tmp_path_factory.mktemp(name) / "own", name))
        return core.trace(model, core.Sample.from_ids(np.array([1, 5, 3, 3, 7, 2])))

    return make


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("same", [False, True])
def test_every_row_stands_on_one_scale(name, same, traced):
    found = core.analysis.influence(traced(name), 0, same=same)
    assert found.shares.shape == (6, 6)
    assert np.allclose(np.abs(found.shares).sum(1), 1, atol=1e-5)
    assert found.how == "jacobian" if same else True
    if name not in {"around", "everyone"}:
        assert not np.triu(found.shares, 1).any()


def test_softmax_has_its_own_pattern(traced):
    trace = traced("full")
    found = core.analysis.influence(trace, 0)
    assert found.how == "pattern"
    for head in range(4):
        assert np.allclose(found.cells[head], trace.pattern(0, head), atol=1e-6)


def test_a_jacobian_is_what_a_small_push_does(traced):
    """Against central differences: a push of one input number, seen at every output number."""
    trace = traced("lstm")
    layer = trace.model.side("decoder").layers[0]
    entering = layer.mixer_norm(torch.from_numpy(trace.hidden(0))).detach().double()[None]
    mixer, width = layer.mixer.double(), entering.shape[2]
    pushed = np.zeros((6, 6))
    with torch.no_grad():
        for key in range(6):
            for number in range(width):
                push = torch.zeros_like(entering)
                push[0, key, number] = 1e-5
                moved = (mixer.plain(entering + push) - mixer.plain(entering - push))[0] / 2e-5
                pushed[:, key] += moved.square().sum(-1).numpy()
    mixer.float()
    assert np.allclose(core.analysis.influence(trace, 0).cells[0], np.sqrt(pushed), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "kind", "units"),
    [("lstm", "forget", 16), ("mamba", "step", 32), ("mamba2", "step", 4), ("gated", "fade", 4)],
)
def test_gates_are_those_of_the_mixer(name, kind, units, traced):
    found = core.analysis.gates(traced(name), 0)
    assert (found.kind, found.values.shape) == (kind, (6, units))
    assert (found.values > 0).all()
    assert kind == "step" or (found.values < 1).all()


@pytest.mark.parametrize("name", ["elman", "full", "delta", "convolution"])
def test_where_there_is_no_gate_there_is_none(name, traced):
    assert core.analysis.gates(traced(name), 0) is None


def test_an_open_forget_gate_keeps_and_a_shut_one_forgets(traced):
    trace = traced("lstm")
    cell = trace.model.side("decoder").layers[0].mixer.cell
    with torch.no_grad():
        cell.bias_ih_l0[16:32] = 30.0
        assert core.analysis.gates(trace, 0).values.min() > 0.999
        cell.bias_ih_l0[16:32] = -30.0
        assert core.analysis.gates(trace, 0).values.max() < 0.001


def test_mamba_as_published_says_what_takes_from_what_too():
    model = opened("mamba_lm")
    trace = core.trace(model, core.Sample.from_ids(np.arange(1, 8)))
    found = core.analysis.influence(trace, 1)
    assert found.how == "matrix"
    assert not np.triu(found.shares, 1).any()
    assert core.analysis.gates(trace, 1).kind == "step"


def test_what_cannot_be_said_is_refused(traced):
    with pytest.raises(core.CoreError) as refused:
        core.analysis.influence(traced("full"), 1)
    assert refused.value.key == "out_of_range"
    trace = traced("lstm")
    long = core.trace(trace.model, core.Sample.from_ids(np.ones(2049, dtype=np.int64)))
    with pytest.raises(core.CoreError) as refused:
        core.analysis.influence(long, 0)
    assert (refused.value.key, refused.value.values["allowed"]) == ("influence_budget", 32768)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("elman", {0: 1, 1: 1, 40: 40}),
        ("mamba", {40: 40}),
        ("full", {0: 1, 1: 1, 200: 1}),
        ("near", {3: 1, 4: 2, 40: 14}),
        ("dilated", {15: 1, 16: 2}),
        ("window", {15: 1, 16: 2, 31: 3}),
        ("globals", {40: 1}),
        ("summaries", {15: 1, 16: 2}),
    ],
)
def test_how_far_a_word_has_to_go(name, wanted):
    assert {distance: forgetting.path(name, distance) for distance in wanted} == wanted


def test_recurrent_gradients_fade_and_those_of_attention_do_not():
    assert forgetting.reach("elman").sizes[40] < 1e-6
    assert forgetting.reach("lstm").sizes[40] < forgetting.reach("lstm").sizes[4]
    assert forgetting.reach("full").sizes[40] > 0.01
    assert forgetting.reach("window").sizes[15] > 0 == forgetting.reach("window").sizes[16]
    assert all(forgetting.reach(name).sizes[0] == 1 for name in forgetting.CAUSAL)


def test_a_jacobian_and_the_gradients_of_a_stream_need_no_algebra_of_symbols(traced, monkeypatch):
    """PyTorch brings a whole system of computer algebra along, about a second, to check the shape of a gradient that is
    given to it."""
    monkeypatch.setitem(sys.modules, "torch.fx.experimental.symbolic_shapes", None)
    assert core.analysis.influence(traced("lstm"), 0).how == "jacobian"
    assert np.isfinite(flow.gradients(traced("full"))).all()


def test_a_jacobian_is_the_same_however_many_numbers_are_done_at_once(traced, monkeypatch):
    whole = core.analysis.influence(traced("full"), 0, same=True)
    monkeypatch.setattr(sys.modules["core.mixers.mixer"], "COPIED", 20)
    few = core.analysis.influence(traced("full"), 0, same=True)
    assert np.allclose(whole.cells, few.cells, rtol=1e-5)
