"""Formulas of cost against a real count, for every row of the tables: mixers, and every family with a fixture."""

from functools import cache

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import core
from core import cost
from core.analysis import counted
from core.analysis.counting import Counting
from core.analysis.mixers_cost import keeping, seen, taken
from core.analysis.mixing import in_turn, mixed
from core.analysis.spending import kept
from core.blocks.untrained import drawn
from core.cost import Work
from core.inputs import Batch
from core.mixers import MIXERS, Mixer, attention, mixer
from core.mixers.softmax import plain
from core.mixers.statespace import StateSpace
from core.products import parameter_bytes
from core.tracing import trace
from core.tracing.tracing import walks_over
from tests.golden.fixtures import HERE, fixtures_in, shorter

FIXTURES = fixtures_in(HERE / "families")
SIZES = ((64, 10), (32, 37), (128, 300))
each_family = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)


@cache
def opened(folder):
    return core.open_model(folder, device="cpu")


def counted_of(run):
    with torch.no_grad(), Counting() as counting:
        run()
    return counting.work


@pytest.mark.parametrize(("width", "length"), SIZES)
@pytest.mark.parametrize("name", [kind.name for kind in MIXERS])
def test_the_formula_of_a_mixer_is_what_its_plain_form_is_counted_to_take(name, width, length):
    part = mixer(name, width)
    part.begin(torch.Generator().manual_seed(0))
    given = drawn(1, length, width, seed=0)
    found = counted_of(lambda: part.plain(given))
    assert found == mixed(part, length)
    assert found.total > 0
    assert found.products > 0 or name == "near"


@pytest.mark.parametrize("length", [1, 5, 16, 17, 40, 100])
@pytest.mark.parametrize("name", [kind.name for kind in MIXERS])
def test_the_bytes_that_a_mixer_keeps_are_those_of_its_cache(name, length):
    part = mixer(name, 64)
    part.begin(torch.Generator().manual_seed(0))
    keeps = keeping(part)
    if keeps is None:
        assert not part.causal
    else:
        assert keeps.bytes(length) == kept(part, length) > 0


@pytest.mark.parametrize("length", [1, 5, 15, 16, 17, 32, 40, 100])
@pytest.mark.parametrize("name", [kind.name for kind in MIXERS if kind.idea in ("softmax", "sparse")])
def test_the_cells_that_a_rule_allows_are_counted_as_the_rule_says(name, length):
    rule, places = mixer(name, 64).rule, torch.arange(length)
    assert seen(rule, length) == int(rule.at(places, places).sum())


@pytest.mark.parametrize("name", ["full", "linear", "everyone"])
def test_hidden_cells_are_nearly_half_of_a_causal_map(name):
    found = taken(name, 64, 1024)
    looking = mixed(mixer(name, 64), 1024).products - mixed(mixer(name, 64), 1).products * 1024
    assert found.hidden / looking == pytest.approx(0 if name == "everyone" else 0.5, abs=0.01)


def test_a_pattern_has_a_cell_for_every_share():
    """What comes out of the softmax of the plain form, in bytes."""
    part, shapes = mixer("full", 64), []
    with torch.no_grad(), Watching(shapes):
        part.plain(drawn(1, 40, 64, seed=0))
    assert sum(shapes) == taken("full", 64, 40).pattern


class Watching(TorchDispatchMode):
    """Notes how many bytes come out of each softmax."""

    def __init__(self, noted):
        super().__init__()
        self.noted = noted

    def __torch_dispatch__(self, function, types, given=(), named=None):
        found = function(*given, **(named or {}))
        if function._overloadpacket is torch.ops.aten._softmax:
            self.noted.append(found.numel() * found.element_size())
        return found


@pytest.fixture
def plainly(monkeypatch):
    """Every mixer in its plain form: nothing fused, and states passed on one position after another."""
    monkeypatch.setattr(attention, "fused", plain)
    monkeypatch.setattr(StateSpace, "forward", lambda self, hidden, *_: self.plain(hidden))


@each_family
@pytest.mark.usefixtures("plainly")
def test_the_parts_of_a_family_add_up_to_what_a_run_is_counted_to_take(fixture):
    """Products and everything that is computed number by number, to the last operation, of a text and a shorter one."""
    model = opened(fixture.folder)
    for sample in (fixture.sample(0), shorter(fixture.sample(0))):
        found = trace(model, sample)
        walks = walks_over(found.model, Batch(samples=(found.sample,)))
        run = counted_of(lambda found=found, walks=walks: found.model.run(*walks))
        logits = counted_of(lambda found=found: found.model.network.output is not None and found.logits())
        assert min(run.products, run.each) > 0
        assert (run, logits) == counted.whole(found)


@each_family
def test_portions_hold_all_operations_and_all_weights_of_a_family(fixture):
    found = trace(opened(fixture.folder), fixture.sample(0))
    told = counted.portions(found)
    walked, judged = counted.whole(found)
    assert sum((one.work for one in told), Work()) == walked + judged
    assert all(0 < one.needed <= one.work.total for one in told if one.work.total)
    others = getattr(found.model.network, "pictures", None)
    held = parameter_bytes(found.model.network) - (0 if others is None else parameter_bytes(others))
    assert sum(one.weights for one in told) == held


@each_family
def test_every_state_of_a_family_has_its_formula(fixture):
    model = opened(fixture.folder)
    for part in model.network.modules():
        if isinstance(part, StateSpace):
            given = drawn(1, 9, part.width, seed=0)
            assert counted_of(lambda part=part, given=given: part.plain(given)) == mixed(part, 9)


@pytest.mark.parametrize("length", [1, 9, 70])
def test_linear_attention_one_after_another_has_its_formula(length):
    part = mixer("linear", 64)
    given = drawn(1, length, 64, seed=0)
    assert counted_of(lambda: part.after(given, part.start(given), None)) == in_turn(part, length)


def test_what_looks_at_everything_is_overtaken_by_what_does_not():
    full, others = taken("full", 64, 4096), ("window", "globals", "linear", "mamba", "elman")
    assert all(taken(name, 64, 4096).least < full.least for name in others)
    assert full.least < full.work.total


def test_no_mixer_is_without_a_formula():
    class Stranger(Mixer):
        width = 8

    with pytest.raises(TypeError):
        mixed(Stranger.__new__(Stranger), 3)


def test_two_products_have_their_published_size():
    """12 heads, 64 tokens, heads 64 wide; and four times that for twice the text."""
    assert cost.two_products(12, 64, 64) == 12_582_912
    assert cost.two_products(12, 64, 128) == 4 * 12_582_912
