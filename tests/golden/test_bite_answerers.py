"""Faults in what only encoder-decoders have: each is seen by their golden numbers."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import nn

import core
from core.blocks import CountedComputed, Frames, ShiftedEmbeddings
from core.mixers import CrossAttention
from core.positions.buckets import Buckets
from tests.golden.fixtures import HERE, Fixture, alone, distances

FAR = 10

pytestmark = pytest.mark.golden


def parts(model, kind):
    return [part for part in model.network.modules() if isinstance(part, kind)]


def read_states_before_the_last_norm(model):
    model.side("encoder").final = nn.Identity()


def look_ahead_in_buckets(model):
    for table in parts(model, Buckets):
        table.ranges = replace(table.ranges, both=not table.ranges.both)


def share_far_buckets_sooner(model):
    for table in parts(model, Buckets):
        table.ranges = replace(table.ranges, farthest=table.ranges.count)


def turn_the_heads_factor_over(model):
    scale = model.network.output.scale
    model.network.output.scale = model.spec.width**-0.5 if scale == 1 else 1.0


def count_from_zero(model):
    for embed in parts(model, CountedComputed):
        embed.pad = -1
    for embed in parts(model, ShiftedEmbeddings):
        embed.shift = 0


def space_the_waves_as_the_paper_does(model):
    for embed in parts(model, CountedComputed):
        embed.scheme = replace(embed.scheme, closed=False)


def forget_the_scale_of_pieces(model):
    for side in model.sides:
        model.side(side).embed.scale = 1.0


def forget_the_norm_after_embeddings(model):
    for embed in parts(model, ShiftedEmbeddings):
        embed.norm = None


def forget_the_bias_of_the_head(model):
    model.network.output.pieces.bias = None


def cross_with_the_keys_of_the_layer_before(model):
    crosses = parts(model, CrossAttention)
    first, second = crosses[0].keys, crosses[1].keys
    crosses[0].keys, crosses[1].keys = second, first


def read_the_source_backwards(model):
    def backwards(source, walk, place):
        return source(replace(walk, source=walk.source.flip(2)), place)

    for mixer in parts(model, CrossAttention):
        mixer._source = partial(backwards, mixer._source)


class Later(nn.Module):
    """One frame later."""

    def forward(self, heard):
        return heard.roll(1, -1)


def take_the_other_frames(model):
    for front in parts(model, Frames):
        front.second = nn.Sequential(Later(), front.second)


PLANTED = [
    ("t5_relu_tied", look_ahead_in_buckets),
    ("t5_relu_tied", share_far_buckets_sooner),
    ("mt5_lm", share_far_buckets_sooner),
    *((name, turn_the_heads_factor_over) for name in ("t5_relu_tied", "t5_gated_untied", "mt5_lm")),
    *((name, count_from_zero) for name in ("bart_lm", "bart_classes", "mbart_lm", "m2m_100_lm")),
    ("m2m_100_lm", space_the_waves_as_the_paper_does),
    *((name, forget_the_scale_of_pieces) for name in ("bart_classes", "mbart_lm", "m2m_100_lm", "marian_mt")),
    *((name, forget_the_norm_after_embeddings) for name in ("bart_lm", "mbart_lm")),
    *((name, forget_the_bias_of_the_head) for name in ("bart_lm", "mbart_lm", "marian_mt", "marian_unshared")),
    *((name, read_states_before_the_last_norm) for name in ("t5_relu_tied", "mbart_lm", "m2m_100_lm", "whisper_asr")),
    *((name, cross_with_the_keys_of_the_layer_before) for name in ("t5_gated_untied", "bart_lm", "whisper_asr")),
    *((name, read_the_source_backwards) for name in ("mt5_lm", "marian_mt", "whisper_asr")),
    ("whisper_asr", take_the_other_frames),
]


@pytest.mark.parametrize(("name", "plant"), PLANTED, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_fault_is_seen(name, plant):
    fixture = Fixture(HERE / "families" / name)
    model = core.open_model(fixture.folder)
    plant(model)
    with torch.no_grad():
        assert max(distances(fixture, alone(fixture, model)).values()) > FAR
