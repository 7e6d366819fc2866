"""What holds for every mixer of the table: the formula and its fast twin, order, padding, writing, and influence."""

from dataclasses import replace

import pytest
import torch

from core.cache import Cache
from core.errors import CoreError
from core.mixers.mixer import Carrying
from core.mixers.statespace import StateSpace
from core.mixers.table import MIXERS
from core.tape import Place, Tape
from core.walk import Walk, walk_over

PLACE, WIDTH = Place("decoder", 0), 16
LENGTHS = (1, 2, 63, 64, 65, 131)
COUNTED = {"summaries", "globals"}  # blocks and global places are counted from the first place, padded or not


def made(kind, seed=0):
    mixer, source = kind.make(WIDTH).double(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.copy_(0.4 * torch.randn(parameter.shape, generator=source, dtype=torch.float64))
    return mixer


def drawn(length, batch=2, seed=1):
    return torch.randn(batch, length, WIDTH, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def over(hidden, **rest):
    return walk_over(torch.ones(hidden.shape[:2], dtype=torch.bool), **rest)


def far(one, other):
    return float(((one - other).abs().max() / other.abs().max()).detach())


each = pytest.mark.parametrize("kind", MIXERS, ids=lambda kind: kind.name)
causal = pytest.mark.parametrize("kind", [kind for kind in MIXERS if made(kind).causal], ids=lambda kind: kind.name)


def test_names_are_unique():
    assert len({kind.name for kind in MIXERS}) == len(MIXERS)


@each
@pytest.mark.parametrize("length", LENGTHS)
def test_the_fast_form_is_the_formula(kind, length):
    mixer, hidden = made(kind), drawn(length)
    assert far(mixer(hidden, over(hidden), PLACE), mixer.plain(hidden)) < 1e-9


@each
@pytest.mark.parametrize("length", [5, 67])
def test_the_gradients_of_the_fast_form_are_those_of_the_formula(kind, length):
    mixer, hidden = made(kind), drawn(length).requires_grad_()
    wanted = drawn(length, seed=2)
    leaves = [hidden, *mixer.parameters()]
    both = [
        torch.autograd.grad((run(hidden) * wanted).sum(), leaves, allow_unused=True, materialize_grads=True)
        for run in (lambda given: mixer(given, over(given), PLACE), mixer.plain)
    ]
    for fast, plain in zip(*both, strict=True):
        assert torch.allclose(fast, plain, rtol=1e-7, atol=1e-9)


@causal
def test_one_at_a_time_equals_all_at_once(kind):
    mixer, hidden, cache = made(kind), drawn(70), Cache()
    whole, found = mixer(hidden, over(hidden), PLACE), []
    for place in range(70):
        positions = torch.full((2, 1), place)
        found.append(mixer(hidden[:, place : place + 1], Walk(positions=positions, cache=cache), PLACE))
        cache.length += 1
    assert far(torch.cat(found, 1), whole) < 1e-9


@causal
@pytest.mark.parametrize("cut", [1, 40, 69])
def test_a_text_in_two_parts_is_one_text(kind, cut):
    mixer, hidden, cache = made(kind), drawn(70), Cache()
    whole = mixer(hidden, over(hidden), PLACE)
    first = mixer(hidden[:, :cut], replace(over(hidden[:, :cut]), cache=cache), PLACE)
    cache.length = cut
    rest = mixer(hidden[:, cut:], Walk(positions=torch.arange(cut, 70).expand(2, -1), cache=cache), PLACE)
    assert far(torch.cat((first, rest), 1), whole) < 1e-9


@causal
def test_the_future_never_reaches_the_past(kind):
    mixer, hidden = made(kind), drawn(70)
    for seen in (1, 17, 66):
        other = torch.cat((hidden[:, :seen], drawn(70 - seen, seed=9)), 1)
        for run in (lambda given: mixer(given, over(given), PLACE), mixer.plain):
            assert far(run(other)[:, :seen], run(hidden)[:, :seen]) < 1e-12


@pytest.mark.parametrize("kind", [kind for kind in MIXERS if not made(kind).causal], ids=lambda kind: kind.name)
def test_what_looks_ahead_is_noticed(kind):
    mixer, hidden = made(kind), drawn(9)
    other = torch.cat((hidden[:, :8], drawn(1, seed=9)), 1)
    assert far(mixer.plain(other)[:, 6], mixer.plain(hidden)[:, 6]) > 1e-3


def test_a_convolution_around_cannot_write():
    mixer, hidden = made(next(kind for kind in MIXERS if kind.name == "around")), drawn(3)
    with pytest.raises(CoreError, match="Around") as refused:
        mixer(hidden, replace(over(hidden), cache=Cache()), PLACE)
    assert refused.value.key == "looks_ahead"


@pytest.mark.parametrize(
    ("kind", "side"),
    [(kind, side) for side in ("left", "right") for kind in MIXERS if side == "right" or kind.name not in COUNTED],
    ids=lambda given: given if isinstance(given, str) else given.name,
)
def test_padding_changes_nothing(kind, side):
    mixer, hidden, keep = made(kind), drawn(23), torch.ones(2, 23, dtype=torch.bool)
    real = slice(9, None) if side == "left" else slice(0, 14)
    keep[1] = False
    keep[1, real] = True
    found = mixer(hidden, walk_over(keep), PLACE)[1:, real]
    alone = mixer(hidden[1:, real], over(hidden[1:, real]), PLACE)
    assert far(found, alone) < 1e-9


@each
def test_influence_reaches_where_the_jacobian_does(kind):
    """A position whose input moves an output has influence there, and none where it does not."""
    mixer, hidden = made(kind), drawn(24, batch=1)
    influence = mixer.influence(hidden)
    assert influence.cells.shape[1:] == (24, 24)
    assert influence.signed or bool((influence.cells >= 0).all())
    if mixer.causal:
        assert not influence.cells.triu(1).any()
    if influence.how in {"pattern", "kernel"}:
        assert torch.allclose(influence.cells.sum(-1), torch.ones((), dtype=torch.float64))


@pytest.mark.parametrize("kind", [kind for kind in MIXERS if kind.idea in {"linear"}], ids=lambda kind: kind.name)
def test_influence_is_what_values_are_added_up_by(kind):
    mixer, hidden = made(kind), drawn(30, batch=1)
    values = mixer.split(hidden)[2]
    assert far(mixer.joined(mixer.influence(hidden).cells[None] @ values), mixer.plain(hidden)) < 1e-9


@pytest.mark.parametrize("kind", [kind for kind in MIXERS if kind.idea == "state"], ids=lambda kind: kind.name)
def test_the_effective_matrix_is_what_the_recurrence_does(kind):
    """Without the skip and the gate, what is read is the matrix times what was written."""
    mixer, hidden = made(kind), drawn(30, batch=1)
    assert isinstance(mixer, StateSpace)
    with torch.no_grad():
        mixer.skip.zero_()
    through, beside = mixer.widened(hidden)
    through = mixer.act(mixer.near(through, None)[0])
    cells = mixer.influence(hidden).cells
    values = through[..., : mixer.space.inner].unflatten(-1, (len(cells), -1))
    read = torch.einsum("hqk,bkhw->bqhw", cells, values).flatten(2)
    gate = torch.nn.functional.silu(beside[0])
    wanted = mixer.norm(read * gate) if kind.name == "mamba2" else read * gate
    assert far(mixer.output(wanted), mixer.plain(hidden)) < 1e-9


@pytest.mark.parametrize("name", ["gated", "gated_delta"])
def test_fading_begins_slow_and_differs_by_head(name):
    mixer = next(kind for kind in MIXERS if kind.name == name).make(WIDTH)
    mixer.begin(torch.Generator())
    kept = mixer.fades(torch.zeros(1, 1, WIDTH)).exp()[0, 0]
    assert torch.allclose(kept, torch.tensor([1 - 1 / 32, 1 - 1 / 64, 1 - 1 / 128, 1 - 1 / 256]))


@each
def test_the_tape_hears_of_a_pattern_only_where_there_is_one(kind):
    mixer, hidden, tape = made(kind), drawn(4), Tape()
    mixer(hidden, over(hidden, tape=tape), PLACE)
    assert (tape.records["attention", PLACE] is None) == (kind.idea not in {"softmax", "sparse"})


@pytest.mark.parametrize(
    "kind", [kind for kind in MIXERS if isinstance(made(kind), Carrying | StateSpace)], ids=lambda kind: kind.name
)
def test_what_is_carried_does_not_grow(kind):
    def numbers(held):
        return held.numel() if isinstance(held, torch.Tensor) else sum(map(numbers, held))

    mixer, sizes = made(kind), set()
    for length in (1, 30, 200):
        cache, hidden = Cache(), drawn(length)
        mixer(hidden, replace(over(hidden), cache=cache), PLACE)
        sizes.add(numbers(cache.carried[PLACE]))
    assert len(sizes) == 1


def test_nothing_comes_from_what_came_later():
    years = {kind.name: kind.year for kind in MIXERS}
    assert all(years[one] <= kind.year for kind in MIXERS for one in kind.after)
    assert {kind.name for kind in MIXERS if not kind.after} == {"elman", "convolution", "everyone"}
