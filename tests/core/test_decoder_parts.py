"""The parts that decoders from GPT-2 to Phi-3 brought: pairs of neighbours, linear biases, two tables of factors."""

import math

import pytest
import torch

from core.blocks.feed_forward import activation
from core.positions import LongRope, Neighbours, Rotary
from core.positions.alibi import Alibi, slopes


def test_pairs_of_halves_and_pairs_of_neighbours():
    query, one = torch.tensor([1.0, 0, 0, 0]).reshape(1, 1, 1, 4), torch.tensor([[1]])
    halves = Rotary(head_width=4)
    neighbours = Neighbours(rotary=halves)
    cosine, sine = math.cos(1), math.sin(1)
    assert torch.allclose(halves.turn(query, halves.angles(one))[0, 0, 0], torch.tensor([cosine, 0, sine, 0]))
    assert torch.allclose(neighbours.turn(query, neighbours.angles(one))[0, 0, 0], torch.tensor([cosine, sine, 0, 0]))
    assert torch.equal(neighbours.turn(query, neighbours.angles(one - 1)), query)


def test_the_slopes_are_those_of_the_paper():
    assert slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert slopes(1).tolist() == [2.0**-8]
    twelve = [*(2.0**-n for n in range(1, 9)), *(2.0 ** -(n - 0.5) for n in range(1, 5))]
    assert torch.allclose(slopes(12), torch.tensor(twelve))


def test_linear_biases_grow_with_the_distance_also_behind_kept_keys():
    keys, queries, places = torch.zeros(1, 2, 5, 3), torch.zeros(1, 2, 2, 3), torch.tensor([[3, 4]])
    bias = Alibi(heads=2)(queries, keys, places).at(torch.tensor([3, 4]), torch.arange(5))
    assert bias[0, 0].tolist() == [[-3 / 16, -2 / 16, -1 / 16, 0, 1 / 16], [-4 / 16, -3 / 16, -2 / 16, -1 / 16, 0]]


def test_long_texts_take_the_other_table():
    scaling = LongRope(short=(1.0, 1.0), long=(2.0, 4.0), factor=4.0, trained=8)
    short, long = scaling.frequencies(10_000.0, 4, torch.tensor([8, 9]))
    assert torch.allclose(short, torch.tensor([1.0, 0.01]))
    assert torch.allclose(long, torch.tensor([0.5, 0.0025]))
    assert scaling.strength == pytest.approx(math.sqrt(1 + math.log(4) / math.log(8)))


@pytest.mark.parametrize(
    ("name", "at_one"), [("gelu", 0.841345), ("gelu_new", 0.841192), ("gelu_fast", 0.841192), ("relu", 1.0)]
)
def test_activations_are_told_apart(name, at_one):
    assert float(activation(name)(torch.tensor(1.0))) == pytest.approx(at_one, abs=1e-6)
