"""Each way of computing it wrongly is seen by the golden numbers, far beyond their tolerance."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.nn.functional import gelu

import core
from core.mixers import softmax
from core.positions import Rotary
from tests.golden.fixtures import HERE, Fixture, alone, distances
from tests.golden.real import HIDDEN, PATTERN, SENTENCES, pattern_distance, state_distance

FAR = 10
BERT, LLAMA = (Fixture(HERE / "families" / name) for name in ("bert_mlm", "llama_lm"))
REAL = {sentence.name: sentence for sentence in SENTENCES}

pytestmark = pytest.mark.golden


def worst(fixture, model):
    return max(distances(fixture, alone(fixture, model)).values())


def layers(model):
    return [layer for side in model.sides for layer in model.side(side).layers]


def scale_by_the_model_width(monkeypatch, model):
    for layer in layers(model):
        heads = layer.mixer.heads
        monkeypatch.setattr(layer.mixer, "heads", replace(heads, scale=model.spec.width**-0.5))


def rotate_neighbouring_pairs(monkeypatch):
    def turn(_, heads, angles):
        cosine, sine = (part.to(heads.dtype) for part in angles)
        first, second = heads[..., 0::2], heads[..., 1::2]
        return torch.stack((first * cosine - second * sine, second * cosine + first * sine), dim=-1).flatten(-2)

    monkeypatch.setattr(Rotary, "turn", turn)


def tile_the_groups(monkeypatch):
    """Query head h uses group h % groups, as if the groups were laid out 0 1 0 1."""
    one_head = softmax.one_head

    def wrong_head(attention, head):
        found = one_head(attention, head)
        group = head % attention.keys.shape[1]
        keys, values = (part[:, group : group + 1] for part in (attention.keys, attention.values))
        return replace(found, keys=keys, values=values)

    monkeypatch.setattr(softmax, "one_head", wrong_head)
    monkeypatch.setattr(torch.Tensor, "repeat_interleave", lambda part, times, **_: part.repeat(1, times, 1, 1))


def bend_by_tanh(monkeypatch, model):
    for layer in layers(model):
        monkeypatch.setattr(layer.feed_forward, "act", partial(gelu, approximate="tanh"))


def test_the_scale_of_the_fixtures(monkeypatch):
    for fixture in (BERT, LLAMA):
        model = core.open_model(fixture.folder)
        scale_by_the_model_width(monkeypatch, model)
        assert worst(fixture, model) > 1000 * FAR


def test_the_rotary_layout_of_the_fixture(monkeypatch):
    rotate_neighbouring_pairs(monkeypatch)
    assert worst(LLAMA, core.open_model(LLAMA.folder)) > 1000 * FAR


def test_the_head_grouping_of_the_fixture(monkeypatch):
    tile_the_groups(monkeypatch)
    assert worst(LLAMA, core.open_model(LLAMA.folder)) > 1000 * FAR


def test_the_form_of_gelu_of_the_fixture(monkeypatch):
    model = core.open_model(BERT.folder)
    bend_by_tanh(monkeypatch, model)
    assert worst(BERT, model) > FAR


def test_the_sentence_types_of_the_fixture():
    model = core.open_model(BERT.folder)
    traces = [core.trace(model, core.Sample.from_ids(BERT.sample(row).ids)) for row in range(BERT.rows)]
    assert max(distances(BERT, traces).values()) > 1000 * FAR


@pytest.mark.parametrize("name", ["minilm_tired", "smollm2_capital"])
def test_the_scale_of_the_real_models(monkeypatch, request, name):
    sentence = REAL[name]
    model = request.getfixturevalue(sentence.model)
    scale_by_the_model_width(monkeypatch, model)
    trace = core.trace(model, sentence.sample())
    assert pattern_distance(sentence, trace) > 1000 * PATTERN
    assert state_distance(sentence, trace) > 1000 * HIDDEN


@pytest.mark.parametrize("plant", [rotate_neighbouring_pairs, tile_the_groups])
def test_the_rotary_layout_and_the_grouping_of_smollm2(monkeypatch, smollm2, plant):
    sentence = REAL["smollm2_capital"]
    plant(monkeypatch)
    trace = core.trace(smollm2, sentence.sample())
    assert pattern_distance(sentence, trace) > 1000 * PATTERN
    assert state_distance(sentence, trace) > 1000 * HIDDEN


def test_the_form_of_gelu_of_minilm(monkeypatch, minilm):
    sentence = REAL["minilm_tired"]
    bend_by_tanh(monkeypatch, minilm)
    trace = core.trace(minilm, sentence.sample())
    assert pattern_distance(sentence, trace) > FAR * PATTERN
    assert state_distance(sentence, trace) > FAR * HIDDEN
