"""Formulas of cost against a real count, for every row of the tables: mixers, and every family with a fixture."""

import pytest
import torch

import core
from core import cost
from core.analysis import counted
from core.analysis.counting import Counting
from core.analysis.mixing import mixed
from core.blocks.untrained import drawn
from core.mixers import MIXERS, Mixer, attention, mixer
from core.mixers.softmax import plain
from core.mixers.statespace import StateSpace
from core.tracing import trace
from tests.golden.fixtures import HERE, fixtures_in

FIXTURES = fixtures_in(HERE / "families")
SIZES = ((64, 10), (32, 37), (128, 300))
each_family = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)


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


@pytest.fixture
def plainly(monkeypatch):
    """Every mixer in its plain form: nothing fused, and states passed on one position after another."""
    monkeypatch.setattr(attention, "fused", plain)
    monkeypatch.setattr(StateSpace, "forward", lambda self, hidden, *_: self.plain(hidden))


@each_family
@pytest.mark.usefixtures("plainly")
def test_the_parts_of_a_family_add_up_to_what_a_run_is_counted_to_take(fixture):
    model = core.open_model(fixture.folder, device="cpu")
    sample = fixture.sample(0)
    run = []
    found = counted_of(lambda: run.append(trace(model, sample)))
    logits = counted_of(lambda: run[0].logits() if run[0].model.network.output is not None else None)
    walked, judged = counted.whole(run[0])
    assert found.products > 0
    assert (found.products, logits.products) == (walked.products, judged.products)


@each_family
def test_every_state_of_a_family_has_its_formula(fixture):
    model = core.open_model(fixture.folder, device="cpu")
    for part in model.network.modules():
        if isinstance(part, StateSpace):
            given = drawn(1, 9, part.width, seed=0)
            assert counted_of(lambda part=part, given=given: part.plain(given)) == mixed(part, 9)


def test_no_mixer_is_without_a_formula():
    class Stranger(Mixer):
        width = 8

    with pytest.raises(TypeError):
        mixed(Stranger.__new__(Stranger), 3)


def test_two_products_have_their_published_size():
    """12 heads, 64 tokens, heads 64 wide; and four times that for twice the text."""
    assert cost.two_products(12, 64, 64) == 12_582_912
    assert cost.two_products(12, 64, 128) == 4 * 12_582_912
