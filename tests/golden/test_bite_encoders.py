"""Faults in what only BERT's relatives have: each is seen by their golden numbers."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
import torch
from torch.nn.functional import gelu

import core
from core.blocks import Bend, CountedEmbeddings
from core.blocks.convolution import Neighbours
from core.masks import Window
from core.mixers import SelfAttention
from core.positions.disentangled import DistanceRows
from tests.golden.fixtures import HERE, Fixture, alone, distances

FAR = 10

pytestmark = pytest.mark.golden


def parts(model, kind):
    return [part for part in model.network.modules() if isinstance(part, kind)]


@dataclass(frozen=True)
class Mirrored:
    """Takes queries for keys."""

    bias: Any

    def at(self, rows, columns):
        return self.bias.at(columns, rows).mT

    def of(self, sentence, keep):
        return Mirrored(self.bias.of(sentence, keep))


def mirror_the_bias(model):
    def mirrored(attention, *given):
        found = attention(*given)
        return replace(found, bias=Mirrored(found.bias))

    for mixer in parts(model, SelfAttention):
        mixer.attention = partial(mirrored, mixer.attention)


def count_from_zero(model):
    for embed in parts(model, CountedEmbeddings):
        embed.pad = -1


def share_no_far_distances(model):
    for table in parts(model, DistanceRows):
        table.distances = replace(table.distances, farthest=0)


def widen_the_windows(model):
    for mixer in parts(model, SelfAttention):
        if isinstance(mixer.rule, Window):
            mixer.rule = Window(size=mixer.rule.size + 1)


def narrow_the_windows(model):
    for mixer in parts(model, SelfAttention):
        if isinstance(mixer.rule, Window):
            mixer.rule = Window(size=mixer.rule.size - 1)


def bend_neighbours_otherwise(model):
    for neighbours in parts(model, Neighbours):
        neighbours.act = partial(gelu, approximate="tanh")


def bend_classes_otherwise(model):
    for before in parts(model, Bend):
        before.act = torch.sin


def use_the_first_group_everywhere(model):
    layers = model.side("encoder").layers
    for number in range(len(layers)):
        layers[number] = layers[0]


PLANTED = [
    ("mpnet_mlm", mirror_the_bias),
    ("deberta_v3_mlm", mirror_the_bias),
    ("deberta_v2_classes", mirror_the_bias),
    ("deberta_v3_mlm", share_no_far_distances),
    ("deberta_v2_classes", bend_neighbours_otherwise),
    ("roberta_mlm", count_from_zero),
    ("roberta_classes", count_from_zero),
    ("xlm_roberta_mlm", count_from_zero),
    ("mpnet_mlm", count_from_zero),
    ("modernbert_mlm", widen_the_windows),
    ("modernbert_mlm", narrow_the_windows),
    ("modernbert_classes", narrow_the_windows),
    ("albert_groups", use_the_first_group_everywhere),
    ("roberta_classes", bend_classes_otherwise),
    ("distilbert_classes", bend_classes_otherwise),
    ("electra_replaced", bend_classes_otherwise),
    ("deberta_v2_classes", bend_classes_otherwise),
    ("modernbert_classes", bend_classes_otherwise),
]


@pytest.mark.parametrize(("name", "plant"), PLANTED, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_fault_is_seen(name, plant):
    fixture = Fixture(HERE / "families" / name)
    model = core.open_model(fixture.folder)
    plant(model)
    with torch.no_grad():
        assert max(distances(fixture, alone(fixture, model)).values()) > FAR
