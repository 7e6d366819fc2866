"""A decoder's layers taken apart for one row: the same numbers as whole ones, and only where all parts are plain."""

import numpy as np
import pytest
import torch

import core
from core import Sample
from core.changes import NoResidual
from core.decoding import one_row, writer
from core.decoding.one_row import row_layers
from tests.core.changed import opened

PROMPT = (17, 40, 3, 99, 41, 8)
PLAIN = ["llama_lm", "llama_yarn", "llama_linear"]
NEAR = ["mistral_window", "phi3_long"]
OTHERS = ["qwen3_lm", "gemma2_lm", "olmo2_lm", "mixtral_lm", "gpt2_lm", "jamba_lm", "t5_relu_tied", "phi"]


def both_ways(monkeypatch, model, **how):
    """The steps of one text with the layers taken apart, and as they are."""
    apart = list(core.generate(model, Sample.from_ids(PROMPT), limit=12, watch=True, **how))
    with monkeypatch.context() as patch:
        patch.setattr(writer, "row_layers", lambda _: ())
        whole = list(core.generate(model, Sample.from_ids(PROMPT), limit=12, watch=True, **how))
    return list(zip(apart, whole, strict=True))


@pytest.mark.parametrize("name", [*PLAIN, "smollm2", "smollm2 bfloat16"])
def test_a_row_goes_through_layers_taken_apart_as_through_whole_ones_to_the_last_bit(name, monkeypatch, request):
    if name in PLAIN:
        model = opened(name)
    elif name == "smollm2":
        model = request.getfixturevalue("smollm2")
    else:
        model = core.open_model("smollm2", device="cpu", dtype=torch.bfloat16)
    assert len(row_layers(model.side("decoder"))) == model.spec.layers
    for apart, whole in both_ways(monkeypatch, model):
        assert np.array_equal(apart.logits, whole.logits)
        assert np.array_equal(apart.rows["decoder"], whole.rows["decoder"], equal_nan=True)


@pytest.mark.parametrize("name", NEAR)
def test_a_row_that_looks_a_few_places_back_sees_the_same(name, monkeypatch):
    """The keys that it may look at go through another kernel, without a mask, which adds up in another order."""
    model = opened(name)
    assert row_layers(model.side("decoder"))[0].near
    for apart, whole in both_ways(monkeypatch, model):
        np.testing.assert_allclose(apart.logits, whole.logits, atol=1e-5)
        np.testing.assert_allclose(apart.rows["decoder"], whole.rows["decoder"], atol=1e-5)


@pytest.mark.parametrize("name", OTHERS)
def test_layers_of_other_parts_are_left_whole(name):
    assert row_layers(opened(name).side("decoder")) == ()


def test_a_layer_that_somebody_listens_to_is_left_whole():
    side = opened("llama_lm").side("decoder")
    ear = side.layers[1].feed_forward.down.register_forward_hook(lambda *_: None)
    try:
        assert row_layers(side) == ()
    finally:
        ear.remove()
    assert row_layers(side)


def test_what_is_padded_changed_or_several_goes_through_whole_layers(monkeypatch):
    ran = []
    real = one_row.RowLayer.__call__
    monkeypatch.setattr(one_row.RowLayer, "__call__", lambda self, *given: (ran.append(self), real(self, *given))[1])
    model, sample = opened("llama_lm"), Sample.from_ids(PROMPT)
    list(core.generate(model, sample, limit=3))
    assert len(ran) == 2 * model.spec.layers
    ran.clear()
    list(core.generate(model, sample, (NoResidual(),), limit=3))
    list(core.together(model, Sample.batch([sample, Sample.from_ids(PROMPT[:2])]), limit=3))
    list(core.together(model, Sample.batch([sample, sample]), limit=3))
    assert not ran
