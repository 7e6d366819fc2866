"""Tracing: what is refused, what it costs, half precision, numbers that are none."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import core
from tests.core.changed import FAMILIES, opened

TEXT = "The animal didn't cross the street because it was too tired."


def refused(ask):
    with pytest.raises(core.CoreError) as caught:
        ask()
    assert str(caught.value)
    return caught.value


@pytest.fixture
def bert():
    return opened("bert_mlm")


@pytest.fixture
def llama():
    return opened("llama_lm")


@pytest.mark.parametrize(
    ("ids", "key", "values"),
    [
        ([], "no_pieces", {"came": 0}),
        ([5] * 41, "too_long", {"came": 41, "allowed": 40}),
        ([372], "id_out_of_range", {"came": 372, "allowed": 371}),
        ([5, -1], "id_out_of_range", {"came": -1, "allowed": 371}),
    ],
)
def test_ids_that_no_model_takes(bert, ids, key, values):
    error = refused(lambda: core.trace(bert, core.Sample.from_ids(ids)))
    assert (error.key, error.values) == (key, values)


def test_ids_that_a_writer_does_not_take(llama, bert):
    for ids, key in (([], "no_pieces"), ([400], "id_out_of_range"), ([5] * 64, "too_long")):
        assert refused(lambda ids=ids: list(core.generate(llama, core.Sample.from_ids(ids), limit=12))).key == key
    assert refused(lambda: core.generate(bert, core.Sample.from_ids([5]))).key == "not_a_writer"


def test_a_sentence_type_that_the_model_does_not_have(bert):
    error = refused(lambda: core.trace(bert, core.Sample.from_ids([5, 6], types=[0, 2])))
    assert error.key == "out_of_range"
    assert error.values["allowed"] == 1


def test_a_batch_with_an_empty_sentence(bert):
    batch = core.Sample.batch([core.Sample.from_ids([5, 6]), core.Sample.from_ids([])])
    assert refused(lambda: core.trace(bert, batch)).key == "no_pieces"


def test_a_side_of_padding_that_there_is_not():
    error = refused(lambda: core.Sample.batch([core.Sample.from_ids([5])], padding="Left"))
    assert (error.key, error.values["came"]) == ("unknown_choice", "Left")


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda trace: trace.pattern(2, 0), "layer"),
        (lambda trace: trace.pattern(-1, 0), "layer"),
        (lambda trace: trace.pattern(0, 4), "head"),
        (lambda trace: trace.pattern(0, 0, rows=[9]), "row"),
        (lambda trace: trace.pattern(0, 0, columns=[-1]), "column"),
        (lambda trace: trace.hidden(3), "hidden"),
        (lambda trace: trace.logits([3]), "row"),
    ],
)
def test_what_a_trace_does_not_have(bert, ask, what):
    trace = core.trace(bert, core.Sample.from_ids([5, 6, 7]))
    error = refused(lambda: ask(trace))
    assert (error.key, error.values["what"]) == ("out_of_range", what)


def test_rows_and_columns_are_cut_out_of_the_whole(llama):
    trace = core.trace(llama, core.Sample.from_ids(range(5, 16)))
    whole = trace.pattern(1, 3)
    assert np.allclose(trace.pattern(1, 3, rows=[7, 0], columns=[2, 3, 1]), whole[[7, 0]][:, [2, 3, 1]], atol=1e-7)
    assert np.allclose(trace.pattern(1, 3, rows=slice(4, None), columns=slice(0, 2)), whole[4:, :2], atol=1e-7)
    assert np.allclose(trace.logits([10, 2]), trace.logits()[[10, 2]], atol=1e-5)


def test_a_side_that_the_model_does_not_have(llama):
    trace = core.trace(llama, core.Sample.from_ids([5]))
    assert trace.sides == ("decoder",)
    assert np.array_equal(trace.pattern(0, 0), [[1.0]])
    for ask in (lambda: trace.pattern(0, 0, side="cross"), lambda: trace.hidden(0, side="cross")):
        assert refused(ask).key == "unknown_side"
    assert trace.overview(0).shape == trace.overview(1).shape == (2, 4, 1, 1)


def test_a_model_without_a_head_has_no_logits(minilm):
    assert refused(core.trace(minilm, core.read(minilm, "the cat")).logits).key == "no_output"


def spoil(model, name, value=float("inf")):
    """A model with one parameter that is no number, and everything else shared with the good one."""
    found = core.open_model(FAMILIES / model)
    part = found.network.get_parameter(name)
    part.data = part.data.clone().index_fill_(0, torch.tensor([0]), value)
    return found


@pytest.mark.parametrize(
    ("model", "name", "layer"),
    [
        ("bert_mlm", "encoder.layers.1.feed_forward.up.weight", 1),
        ("bert_mlm", "encoder.layers.0.mixer.queries.weight", 0),
        ("llama_lm", "decoder.layers.1.mixer.values.weight", 1),
        ("llama_lm", "decoder.layers.0.mixer_norm.weight", 0),
        ("llama_lm", "decoder.final.weight", 1),
    ],
)
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_numbers_that_are_none_are_refused_naming_the_layer(model, name, layer, value):
    spoilt = spoil(model, name, value)
    error = refused(lambda: core.trace(spoilt, core.Sample.from_ids([5, 6, 7])))
    assert (error.key, error.values["layer"]) == ("not_finite", layer)


def test_half_precision_is_close_and_finite(minilm):
    for dtype, limit in ((torch.float16, 1e-2), (torch.bfloat16, 5e-2)):
        half = core.open_model("minilm", dtype=dtype)
        there, here = (core.trace(model, core.read(model, TEXT)) for model in (half, minilm))
        assert here.pattern(0, 0).dtype == there.pattern(0, 0).dtype == np.float32
        for layer in range(6):
            for head in range(12):
                found = there.pattern(layer, head)
                assert np.isfinite(found).all()
                assert np.abs(found - here.pattern(layer, head)).max() < limit


def test_half_precision_of_large_numbers_is_close_and_finite(smollm2):
    """Hidden states of SmolLM2 reach 22,500; their squares do not fit in float16."""
    half = core.open_model("smollm2", dtype=torch.float16)
    there, here = (core.trace(model, core.read(model, TEXT)) for model in (half, smollm2))
    assert half.bytes == smollm2.bytes // 2
    worst = max(np.abs(there.pattern(n, h) - here.pattern(n, h)).max() for n in range(30) for h in range(9))
    assert np.isfinite(there.final).all()
    assert worst < 1e-2


def test_a_trace_costs_what_its_length_costs(smollm2):
    sizes = {}
    for length in (64, 128):
        trace = core.trace(smollm2, core.Sample.from_ids([7] * length))
        sizes[length] = sum(layer.bytes for layer in trace.layers())
    assert sizes[128] == 2 * sizes[64]
    per_piece = 30 * 4 * (9 + 3 + 3) * 64
    assert sizes[64] == 64 * per_piece


GROWTH = """
import resource, sys, torch, core
def now(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
core.open_model(sys.argv[2])
before = now()
model = core.open_model(sys.argv[1])
print((now() - before) / model.bytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_a_process_grows_by_little_more_than_the_parameters():
    command = [sys.executable, "-c", GROWTH, "smollm2", str(FAMILIES / "bert_mlm")]
    grown = float(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert 0.9 < grown <= 1.1


def test_two_families_in_turn_do_not_meet(bert, llama):
    first = core.trace(bert, core.Sample.from_ids([5, 6, 7]))
    core.trace(llama, core.Sample.from_ids([5, 6, 7]))
    again = core.trace(bert, replace(core.Sample.from_ids([5, 6, 7]), text="another"))
    assert np.array_equal(first.final, again.final)
