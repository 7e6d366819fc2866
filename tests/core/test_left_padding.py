"""Padding on the left (B13): real places are counted from 0, no share goes to padding, and 0 is a piece like any
other."""

import numpy as np
import pytest
import torch

import core
from core import Sample
from core.mixers.softmax import pattern
from core.tape import Tape
from core.tracing.tracing import walks_over
from tests.core.changed import changed, opened, with_settings

LONG, SHORT = (17, 40, 3, 99, 41), (6, 77)
BATCH = Sample.batch([Sample.from_ids(LONG), Sample.from_ids(SHORT)], padding="left")


def walked(model, batch, tape):
    (walk,) = walks_over(model, batch, tape=tape)
    with torch.no_grad():
        model.run(walk)
    return walk


@pytest.mark.parametrize("name", ["gpt2_lm", "roberta_mlm", "llama_lm", "bloom"])
def test_real_places_are_counted_and_padding_gets_nothing_b13(name):
    model, tape = opened(name), Tape()
    walk = walked(model, BATCH, tape)
    assert walk.keep[1].tolist() == [False, False, False, True, True]
    assert walk.positions[1, 3:].tolist() == [0, 1]
    for attention in tape.read("attention", model.sides[0]):
        rows = pattern(attention)[1, :, 3:]
        assert (rows[:, :, :3] == 0).all()
        assert torch.allclose(rows.sum(-1), torch.ones(()), atol=1e-5)


@pytest.mark.parametrize("settings", [{}, {"pad_token_id": 0}], ids=["as published", "padding is piece 0"])
@pytest.mark.parametrize("name", ["gpt2_lm", "roberta_mlm"])
def test_padded_and_alone_are_the_same_b13(tmp_path, name, settings):
    model = changed(tmp_path, name, config=with_settings(**settings))
    alone, both = core.trace(model, Sample.from_ids(SHORT)), core.trace(model, BATCH).item(1)
    assert np.abs(alone.logits() - both.logits()).max() <= 1e-4
    for layer in range(model.spec.layers):
        for head in range(model.spec.heads.count):
            assert np.abs(alone.pattern(layer, head) - both.pattern(layer, head)).max() <= 1e-4


def test_piece_0_is_no_padding_b13():
    """Whether or not a batch fills its places with it."""
    model, sample = opened("gpt2_lm"), Sample.from_ids((0, 6, 0, 77))
    alone = core.trace(model, sample)
    both = core.trace(model, Sample.batch([Sample.from_ids((*LONG, 8)), sample], padding="left")).item(1)
    assert both.final.shape == alone.final.shape
    assert np.abs(alone.logits() - both.logits()).max() <= 1e-4
    assert alone.pattern(0, 0)[3, 0] > 0
