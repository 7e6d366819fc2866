"""Without positions an encoder is blind to order: a shuffled text gives the same states, shuffled."""

import numpy as np
import pytest

import core
from core.changes import NoPositions
from core.inputs import Sample

ORDER = [0, 4, 2, 5, 1, 3, 6]
IDS = [101, 3899, 15424, 2158, 1999, 2380, 102]


def finals(model, ids, *changes):
    return core.trace(model, Sample.from_ids(ids), changes).final


def test_shuffled_pieces_give_shuffled_states(minilm):
    straight = finals(minilm, IDS, NoPositions())
    shuffled = finals(minilm, [IDS[place] for place in ORDER], NoPositions())
    np.testing.assert_allclose(shuffled, straight[ORDER], atol=1e-5)


def test_with_positions_they_do_not(minilm):
    shuffled = finals(minilm, [IDS[place] for place in ORDER])
    assert np.abs(shuffled - finals(minilm, IDS)[ORDER]).max() > 0.1


def test_a_rotary_decoder_without_positions_turns_nothing(smollm2):
    trace = core.trace(smollm2, core.read(smollm2, "dog bites man"), (NoPositions(),))
    attention = trace.layer(0)
    plain = core.trace(smollm2, core.read(smollm2, "dog bites man")).layer(0)
    assert attention.changes == ()
    np.testing.assert_allclose(attention.queries[:, :, 0], plain.queries[:, :, 0], atol=1e-6)
    assert np.abs((attention.queries - plain.queries)[:, :, 1:].numpy()).max() > 0.1


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_the_fused_path_is_kept(request, name):
    model = request.getfixturevalue(name)
    trace = core.trace(model, core.read(model, "dog bites man"), (NoPositions(),))
    assert all(layer.changes == () for layer in trace.layers())
