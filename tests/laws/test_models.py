"""What holds for every family: nothing is remembered, watching alters nothing, asking twice gives one answer."""

import copy
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
import torch

import core
from core.changes import NoMask, Plain
from core.mixers.softmax import allowed, pattern
from core.tracing.tracing import walks_over, with_target
from tests.golden.fixtures import HERE, fixtures_in, shorter

FIXTURES = fixtures_in(HERE / "families")
SMALL = [fixture for fixture in FIXTURES if fixture.name in {"bert_mlm", "llama_lm"}]

each = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)


@cache
def opened(folder):
    return core.open_model(folder, device="cpu")


def numbers(trace):
    """Every number of a trace, in one list of arrays."""
    states = [state for side in trace.hiddens.values() for state in side] + list(trace.finals.values())
    layers = [layer for side in trace.sides for layer in trace.looking(side).values()]
    given = [part for a in layers for part in (a.queries, a.keys, a.values)]
    return [part.numpy() for part in (*states, *given)]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(numbers(one), numbers(other), strict=True))


@each
def test_two_runs_are_the_same_to_the_last_bit(fixture):
    model = opened(fixture.folder)
    first = core.trace(model, fixture.sample(0))
    core.trace(model, shorter(fixture.sample(0)))
    assert same(first, core.trace(model, fixture.sample(0)))
    assert same(first, core.trace(model, fixture.sample(0), changes=()))


@each
def test_being_watched_changes_nothing(fixture):
    model = opened(fixture.folder).taking(fixture.sample(0).given)
    sample = with_target(model, fixture.sample(0))
    batch = core.Sample.batch([sample])
    with torch.no_grad():
        unwatched = model.run(*walks_over(model, batch))
    assert np.array_equal(unwatched[0].numpy(), core.trace(model, sample).final)


@each
def test_the_plain_path_is_the_fused_path(fixture):
    """A temperature of one alters nothing, and takes the plain path in every layer."""
    model, sample = opened(fixture.folder), fixture.sample(0)
    fused, plain = core.trace(model, sample), core.trace(model, sample, changes=(Plain(),))
    limit = 3 * fixture.tolerance(next(group for group in fixture.groups if group.endswith("hidden_states")))
    assert np.abs(fused.final - plain.final).max() <= limit


@each
def test_patterns_are_shares_of_what_is_allowed(fixture):
    trace = core.trace(opened(fixture.folder), fixture.sample(0))
    for side in trace.sides:
        for layer in trace.looking(side).values():
            shares = pattern(layer)
            assert (shares.sum(-1) - 1).abs().max() <= 2e-6
            assert not shares.masked_fill(allowed(layer), 0).any()


@each
def test_a_model_remembers_nothing_also_under_eight_threads(fixture):
    """H80: runs at once do not mix, and no hook stays."""
    model = opened(fixture.folder)
    before = copy.deepcopy(model.network.state_dict())
    one = fixture.sample(0)
    samples = [one, shorter(one)] * 2
    alone = [core.trace(model, sample) for sample in samples]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda number: core.trace(model, samples[number % 4]), range(8)))
    assert all(same(found, alone[number % 4]) for number, found in enumerate(together))
    assert all(torch.equal(before[name], part) for name, part in model.network.state_dict().items())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.network.modules())


@each
def test_an_error_on_the_way_leaves_nothing_behind(fixture):
    model, sample = opened(fixture.folder), fixture.sample(0)
    before = core.trace(model, sample)
    with pytest.raises(core.CoreError):
        core.trace(model, core.Sample.from_ids([model.spec.pieces]))
    assert same(before, core.trace(model, sample))


@each
def test_what_a_trace_hands_out_can_be_written_on(fixture):
    """Answers are the asker's own: writing on them does not alter the trace that others ask too."""
    trace = core.trace(opened(fixture.folder), fixture.sample(0))

    def asked():
        maps = [(trace.pattern(min(trace.looking(side)), 0, side), trace.overview(4, side)) for side in trace.sides]
        return [trace.hidden(0), trace.final, trace.logits(), *(one for pair in maps for one in pair)]

    before = [answer.copy() for answer in asked()]
    for answer in asked():
        answer[:] = 7
    assert all(np.array_equal(one, other) for one, other in zip(before, asked(), strict=True))


@pytest.mark.parametrize("fixture", SMALL, ids=lambda fixture: fixture.name)
def test_a_trace_grows_with_the_length_and_not_with_its_square(fixture):
    model = opened(fixture.folder)
    sizes = {}
    for length in (16, 32):
        trace = core.trace(model, core.Sample.from_ids([7] * length, types=[0] * length))
        sizes[length] = sum(layer.bytes for layer in trace.layers()), trace.bytes
    assert sizes[32] == (2 * sizes[16][0], 2 * sizes[16][1])


def test_dropout_in_a_config_is_not_applied():
    """bert_mlm's config asks for a dropout of 0.1; nothing is ever dropped when looking."""
    fixture = next(fixture for fixture in SMALL if fixture.name == "bert_mlm")
    trace = core.trace(opened(fixture.folder), fixture.sample(0))
    assert trace.pattern(0, 0).sum(-1) == pytest.approx(1, abs=2e-6)
    assert same(trace, core.trace(opened(fixture.folder), fixture.sample(0)))


def test_the_model_in_training_mode_would_change_nothing():
    for fixture in SMALL:
        model = core.open_model(fixture.folder)
        before = core.trace(model, fixture.sample(0))
        model.network.train()
        assert same(before, core.trace(model, fixture.sample(0)))


def test_a_decoder_without_its_mask_sees_the_future():
    """The law that the future never reaches the past can fail."""
    model = opened(HERE / "families" / "llama_lm")
    long, short = core.Sample.from_ids([5, 6, 7, 8]), core.Sample.from_ids([5, 6])
    for changes, meets in (((), False), ((NoMask(),), True)):
        apart = np.abs(core.trace(model, long, changes).final[:2] - core.trace(model, short, changes).final).max()
        assert (apart > 1e-3) == meets
