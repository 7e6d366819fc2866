"""For every family: positions laid out wrongly, scores scaled or heads grouped wrongly, and another activation are each
seen by its golden numbers."""

from dataclasses import replace
from functools import partial
from math import log

import pytest
import torch
from torch import nn
from torch.nn.functional import gelu, silu

import core
from core.blocks import ComputedEmbeddings
from core.blocks.feed_forward import ACTIVATIONS
from core.mixers import SelfAttention
from core.mixers.statespace import StateSpace
from core.positions import Alibi, Neighbours, Rotary
from tests.golden.fixtures import HERE, alone, distances, fixtures_in

FAR = 10
COUNTED = ("words", "types")

pytestmark = pytest.mark.golden


def mixers(model):
    return [part for part in model.network.modules() if isinstance(part, SelfAttention)]


def states(model):
    return [part for part in model.network.modules() if isinstance(part, StateSpace)]


def put(part, name, values):
    setattr(part, name, nn.Parameter(values, requires_grad=False))
    return part


def other_layout(scheme):
    """Pairs of halves become pairs of neighbours, and the other way round."""
    return scheme.rotary if isinstance(scheme, Neighbours) else Neighbours(rotary=scheme)


def steeper(scheme):
    """The slopes of another number of heads."""
    return lambda *given: replace(scheme(*given), slopes=scheme(*given).slopes.flip(0))


def misplace(model):
    """Learned tables begin one row later, pairs and sines are laid out the other way, slopes go to the wrong heads;
    what is convolved is turned round."""
    for name, part in model.network.named_modules():
        if isinstance(part, nn.Embedding) and not name.endswith(COUNTED):
            part.weight = nn.Parameter(part.weight.roll(1, dims=0), requires_grad=False)
            yield name
        if isinstance(part, ComputedEmbeddings):
            part.scheme = replace(part.scheme, layout="neighbours")
            yield name
    for mixer in mixers(model):
        if isinstance(mixer.positions, Rotary | Neighbours):
            mixer.positions = other_layout(mixer.positions)
            yield mixer.positions
        if isinstance(mixer.relative, Alibi):
            mixer.relative = steeper(mixer.relative)
            yield mixer.relative
    for part in states(model):
        yield put(part.near, "weight", part.near.weight.flip(-1))


def weaken(model):
    """Scores are scaled by the root of the whole width; states forget half as fast."""
    for mixer in mixers(model):
        mixer.heads = replace(mixer.heads, scale=model.spec.width**-0.5)
        yield mixer
    for part in states(model):
        yield put(part, "decay", part.decay - log(2))


def regroup(model):
    """Groups of query heads take the key heads of the next group; where there is one key head, heads are exchanged.
    States take the decay of the next."""
    for mixer in mixers(model):
        for part in (mixer.queries,) if mixer.heads.groups == 1 else (mixer.keys, mixer.values):
            rolled = part.weight.roll(mixer.heads.head_width, dims=0)
            part.weight = nn.Parameter(rolled, requires_grad=False)
        yield mixer
    for part in states(model):
        yield put(part, "decay", part.decay.roll(1, dims=0))


def bend(model):
    """The two forms of GELU are exchanged, and SiLU stands for everything else (for SiLU: GELU)."""
    tanh = partial(gelu, approximate="tanh")
    other = {id(gelu): tanh, id(ACTIVATIONS["gelu_new"]): gelu, id(ACTIVATIONS["gelu_pytorch_tanh"]): gelu}
    for part in model.network.modules():
        if hasattr(part, "act"):
            part.act = other.get(id(part.act), gelu if part.act is silu else silu)
            yield part


@pytest.mark.parametrize("plant", [misplace, weaken, regroup, bend], ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("fixture", fixtures_in(HERE / "families"), ids=lambda fixture: fixture.name)
def test_a_planted_fault_is_seen(fixture, plant):
    model = core.open_model(fixture.folder)
    assert list(plant(model.taking(fixture.sample(0).given)))
    with torch.no_grad():
        assert max(distances(fixture, alone(fixture, model)).values()) > FAR
