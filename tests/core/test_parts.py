"""Small parts with values that can be worked out by hand."""

import math
import pickle

import pytest
import torch

import core
from core.blocks import LayerNorm, RMSNorm
from core.blocks.feed_forward import ACTIVATIONS, activation
from core.positions import Rotary
from core.walk import walk_over


def turned(head, position, base=10_000.0):
    scheme = Rotary(head_width=len(head), base=base)
    heads = torch.tensor(head)[None, None, None, :]
    return scheme.turn(heads, scheme.angles(torch.tensor([[position]])))[0, 0, 0].tolist()


def test_rotary_pairs_the_halves():
    """Position 1, width 4: the first pair is dimensions 0 and 2, turned by one radian; neighbours would be 0 and 1."""
    assert turned([1.0, 0.0, 0.0, 0.0], 1) == pytest.approx([math.cos(1), 0, math.sin(1), 0], abs=1e-6)
    assert turned([0.0, 1.0, 0.0, 0.0], 1) == pytest.approx([0, math.cos(0.01), 0, math.sin(0.01)], abs=1e-6)


def test_position_0_turns_nothing():
    assert turned([0.3, -0.2, 0.7, 0.1], 0) == pytest.approx([0.3, -0.2, 0.7, 0.1])


def test_a_larger_base_turns_the_later_pairs_less():
    """Width 8, base 1e6: the second frequency is 1e6 ** (-1/4), not 0.1."""
    found = turned([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1, base=1e6)
    assert math.atan2(found[5], found[1]) == pytest.approx(0.0316228, abs=1e-6)


def test_turned_scores_depend_on_the_distance_only():
    scheme = Rotary(head_width=8)
    source = torch.Generator().manual_seed(0)
    query, key = (torch.randn(1, 1, 1, 8, generator=source).expand(1, 1, 40, 8) for _ in range(2))
    angles = scheme.angles(torch.arange(40)[None])
    scores = (scheme.turn(query, angles) @ scheme.turn(key, angles).transpose(-2, -1))[0, 0]
    for distance in (-7, 0, 3):
        along = scores.diagonal(distance)
        assert (along - along[0]).abs().max() < 1e-5


@pytest.mark.parametrize(
    ("name", "at_one"), [("gelu", 0.841345), ("gelu_new", 0.841192), ("gelu_pytorch_tanh", 0.841192), ("relu", 1.0)]
)
def test_activations_at_one(name, at_one):
    assert activation(name)(torch.tensor(1.0)).item() == pytest.approx(at_one, abs=1e-6)


def test_the_two_forms_of_gelu_differ_most_near_2_7():
    places = torch.linspace(-5, 5, 10_001)
    apart = (activation("gelu")(places) - activation("gelu_new")(places)).abs()
    assert apart.max().item() == pytest.approx(4.73e-4, abs=2e-6)
    assert abs(places[apart.argmax()].item()) == pytest.approx(2.70, abs=0.02)


@pytest.mark.parametrize("name", ["swish2", "", "GELU", None])
def test_an_unknown_activation_is_refused(name):
    with pytest.raises((core.CoreError, TypeError)) as caught:
        activation(name)
    if name is not None:
        assert caught.value.key == "unknown_activation"
    assert {"gelu", "gelu_new", "silu"} <= ACTIVATIONS.keys()


def test_norms_by_hand():
    row = torch.tensor([[[1.0, 2.0, 3.0]]])
    centred, sized = LayerNorm(3, epsilon=0.0), RMSNorm(3, epsilon=0.0)
    for part in (centred, sized):
        part.weight.data.fill_(2.0)
    centred.bias.data.fill_(1.0)
    size = math.sqrt(2 / 3)
    assert centred(row)[0, 0].tolist() == pytest.approx([1 - 2 / size, 1, 1 + 2 / size], abs=1e-6)
    assert sized(row)[0, 0].tolist() == pytest.approx([2 * x / math.sqrt(14 / 3) for x in (1, 2, 3)], abs=1e-6)


def test_positions_count_real_places_only():
    keep = torch.tensor([[False, False, True, True], [True, True, True, False]])
    assert walk_over(keep).positions.tolist() == [[0, 0, 0, 1], [0, 1, 2, 2]]


def test_errors_travel_between_processes():
    error = core.CoreError("too_long", came=900, allowed=512)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.key, again.values) == (core.CoreError, "too_long", {"came": 900, "allowed": 512})
    assert str(again) == str(error)
    assert "900" in str(error)
    assert "512" in str(error)
