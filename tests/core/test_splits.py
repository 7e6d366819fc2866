"""Stored tensors that hold several parameters, or hold them turned over."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from core.errors import CoreError
from core.models.splits import interleaved, stacked, turned
from core.weights import SafetensorsFile, Table, fill


def heads(*names):
    """One row per head, which says whose it is: q0, k0 ... as numbers."""
    return torch.tensor([[10.0 * "qkv".index(name[0]) + int(name[1])] for name in names])


def rows(parts):
    return {name: part[:, 0].tolist() for name, part in parts.items()}


def test_parts_that_lie_one_after_another():
    assert rows(stacked("qkv", (2, 1, 1))(heads("q0", "q1", "k0", "v0"))) == {"q": [0, 1], "k": [10], "v": [20]}


@pytest.mark.parametrize(
    ("counts", "stored"),
    [
        ((1, 1, 1), ("q0", "k0", "v0", "q1", "k1", "v1")),
        ((2, 1, 1), ("q0", "q1", "k0", "v0", "q2", "q3", "k1", "v1")),
        ((3, 1, 1), ("q0", "q1", "q2", "k0", "v0")),
    ],
)
def test_groups_of_heads(counts, stored):
    found = rows(interleaved("qkv", counts, 1)(heads(*stored)))
    for part, letter in zip((found["q"], found["k"], found["v"]), "qkv", strict=True):
        assert part == [10.0 * "qkv".index(letter) + n for n in range(len(part))]
    assert sum(map(len, found.values())) == len(stored)


def test_a_bias_is_split_like_its_matrix():
    assert {name: part.tolist() for name, part in stacked("ab", (1, 2), over=True)(torch.arange(3)).items()} == {
        "a": [0],
        "b": [1, 2],
    }
    assert turned("a")(torch.arange(3))["a"].tolist() == [0, 1, 2]
    assert turned("a")(torch.ones(2, 3))["a"].shape == (3, 2)


class Looks(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries, self.keys = nn.Linear(3, 4), nn.Linear(3, 2)


def filled(tmp_path, splits, **tensors):
    path = tmp_path / "model.safetensors"
    save_file(tensors, path)
    with torch.device("meta"):
        network = nn.ModuleList([Looks()])
    table = Table(names={}, splits=splits)
    fill(network, SafetensorsFile(path), table, device=torch.device("cpu"), dtype=torch.float32)
    return network[0]


SPLITS = {"h.{n}.both": stacked(("{n}.queries", "{n}.keys"), (4, 2), over=True)}


def test_one_tensor_fills_two_parameters(tmp_path):
    weight, bias = torch.rand(3, 6), torch.rand(6)
    found = filled(tmp_path, SPLITS, **{"h.0.both.weight": weight, "h.0.both.bias": bias})
    np.testing.assert_array_equal(found.queries.weight, weight.T[:4])
    np.testing.assert_array_equal(found.keys.bias, bias[4:])


@pytest.mark.parametrize("shape", [(3, 7), (3, 5), (6, 3), (2, 6), (), (3,)])
def test_a_tensor_that_does_not_split_is_refused(tmp_path, shape):
    with pytest.raises(CoreError) as refused:
        filled(tmp_path, SPLITS, **{"h.0.both.weight": torch.zeros(shape), "h.0.both.bias": torch.zeros(6)})
    assert refused.value.key in ("tensor_shape", "tensor_left_over")
    assert refused.value.values["name"] == "h.0.both.weight"


@pytest.mark.parametrize("count", [5, 7, 9])
def test_groups_that_do_not_divide_are_refused(tmp_path, count):
    splits = {"h.{n}.both": interleaved(("{n}.queries", "{n}.keys"), (2, 1), 2)}
    with pytest.raises(CoreError) as refused:
        filled(tmp_path, splits, **{"h.0.both.weight": torch.zeros(count, 3), "h.0.both.bias": torch.zeros(6)})
    assert refused.value.key == "tensor_shape"
