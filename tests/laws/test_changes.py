"""What if? Every change does what it says, where it says, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

import core
from core import changes
from core.changes import (
    Change,
    Drop,
    NoMask,
    NoNorm,
    NoPositions,
    NoResidual,
    OneHead,
    Plain,
    Scale,
    SetRow,
    Temperature,
    Uniform,
)
from tests.core.changed import FAMILIES

TEXT = "The animal didn't cross the street"
TRIED = [
    Temperature(value=0.5),
    Scale(value=0.1),
    NoMask(),
    Uniform(),
    Drop(),
    OneHead(),
    SetRow(row=3, shares=(1.0,)),
    NoPositions(),
    NoResidual(),
    NoNorm(layers=(0,)),
]


@pytest.fixture(scope="module")
def traced(minilm, smollm2):
    """Trace the sentence by "encoder" or "decoder" with changes."""
    models = {"encoder": minilm, "decoder": smollm2}
    samples = {side: core.read(model, TEXT) for side, model in models.items()}
    return lambda side, *given: core.trace(models[side], samples[side], given)


def scores(trace, layer, head):
    """Queries times keys, by hand."""
    attention = trace.layer(layer)
    keys = attention.keys[0, head // attention.sharing].numpy()
    return attention.queries[0, head].numpy() @ keys.T


def softmax(rows):
    raised = np.exp(rows - rows.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def test_every_change_is_tried():
    known = {change for change in vars(changes).values() if isinstance(change, type) and issubclass(change, Change)}
    assert {type(change) for change in TRIED} == known - {Change, Plain}


@pytest.mark.parametrize("side", ["encoder", "decoder"])
@pytest.mark.parametrize("change", TRIED, ids=lambda change: type(change).__name__)
def test_a_change_changes_something_and_is_forgotten(traced, change, side):
    before = traced(side)
    changed = traced(side, change)
    assert np.array_equal(traced(side).final, before.final)
    if (type(change), side) != (NoMask, "encoder"):
        assert not np.allclose(changed.final, before.final, atol=1e-3)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_no_changes_are_no_changes(traced, side):
    elsewhere = traced(side, Drop(side="cross"), Drop(layers=(99,)), Temperature(value=1.0, layers=()))
    assert np.array_equal(traced(side).final, elsewhere.final)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_the_plain_path_is_another_way_to_the_same_numbers(traced, side):
    before, plain = traced(side), traced(side, Plain())
    assert all(layer.changes == (Plain(),) for layer in plain.layers())
    np.testing.assert_allclose(plain.final, before.final, atol=1e-3)


@pytest.mark.parametrize("change", TRIED[:7], ids=lambda change: type(change).__name__)
def test_layers_below_the_changed_one_are_untouched(traced, change):
    given = type(change)(**{**vars(change), "layers": (2,)})
    before, changed = traced("decoder"), traced("decoder", given)
    assert np.array_equal(before.hidden(2), changed.hidden(2))
    assert not np.allclose(before.hidden(3), changed.hidden(3), atol=1e-5)
    assert [bool(changed.layer(n).changes) for n in (1, 2, 3)] == [False, True, False]


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_temperature_divides_the_scores(traced, side):
    trace = traced(side, Temperature(value=4.0, layers=(0,), heads=(1,)))
    before = traced(side)
    may = np.tril(np.ones_like(before.pattern(0, 1))) if side == "decoder" else 1
    wanted = softmax(np.where(may, scores(before, 0, 1) * before.layer(0).scale / 4, -np.inf))
    np.testing.assert_allclose(trace.pattern(0, 1), wanted, atol=2e-6)
    np.testing.assert_allclose(trace.pattern(0, 0), before.pattern(0, 0), atol=2e-6)
    assert trace.pattern(0, 1).max(-1).mean() < before.pattern(0, 1).max(-1).mean()


def test_scale_replaces_the_scale(traced):
    trace, before = traced("encoder", Scale(value=0.5, layers=(0,))), traced("encoder")
    np.testing.assert_allclose(trace.pattern(0, 3), softmax(0.5 * scores(before, 0, 3)), atol=2e-6)


def test_without_its_mask_a_decoder_looks_ahead(traced):
    trace, before = traced("decoder", NoMask(layers=(0,))), traced("decoder")
    np.testing.assert_allclose(trace.pattern(0, 4), softmax(before.layer(0).scale * scores(before, 0, 4)), atol=2e-6)
    assert not np.triu(before.pattern(0, 4), 1).any()
    assert (np.triu(trace.pattern(0, 4), 1) > 0).any()
    assert not np.triu(trace.pattern(1, 4), 1).any()


def test_without_its_mask_a_padded_sentence_still_does_not_look_at_padding(smollm2):
    short, long = core.read(smollm2, "The cat"), core.read(smollm2, TEXT)
    for padding in ("left", "right"):
        batch = core.trace(smollm2, core.Sample.batch([long, short], padding=padding), (NoMask(),))
        alone = core.trace(smollm2, short, (NoMask(),))
        np.testing.assert_allclose(batch.item(1).pattern(29, 0), alone.pattern(29, 0), atol=1e-5)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_uniform_shares_equally_among_the_allowed(traced, side):
    trace = traced(side, Uniform(layers=(1,), heads=(2,)))
    count = len(trace.sample)
    may = np.tril(np.ones((count, count))) if side == "decoder" else np.ones((count, count))
    np.testing.assert_allclose(trace.pattern(1, 2), may / may.sum(-1, keepdims=True), atol=1e-7)
    np.testing.assert_allclose(trace.pattern(1, 3), traced(side).pattern(1, 3), atol=2e-6)


def test_a_dropped_head_adds_nothing(traced):
    trace = traced("encoder", Drop(layers=(0,), heads=(5,)))
    assert not trace.pattern(0, 5).any()
    assert trace.pattern(0, 4).sum(-1) == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_row_is_set_in_the_chosen_heads_and_nowhere_else(traced, side):
    given = (0.25, 0.0, 0.75)
    trace, before = traced(side, SetRow(row=4, shares=given, layers=(1,), heads=(2,))), traced(side)
    assert trace.pattern(1, 2)[4].tolist() == [*given, *[0.0] * (len(trace.sample) - 3)]
    others = [row for row in range(len(trace.sample)) if row != 4]
    np.testing.assert_allclose(trace.pattern(1, 2)[others], before.pattern(1, 2)[others], atol=2e-6)
    np.testing.assert_allclose(trace.pattern(1, 1), before.pattern(1, 1), atol=2e-6)
    assert not np.allclose(trace.hidden(2)[4], before.hidden(2)[4], atol=1e-4)
    np.testing.assert_allclose(trace.hidden(2)[0], before.hidden(2)[0], atol=1e-5)


def test_a_row_set_on_what_the_rule_forbids_gets_nothing_there(traced):
    trace = traced("decoder", SetRow(row=2, shares=(0.5, 0.0, 0.0, 0.5), layers=(0,), heads=(0,)))
    assert trace.pattern(0, 0)[2].tolist() == [0.5, *[0.0] * (len(trace.sample) - 1)]


@pytest.mark.parametrize("side", ["encoder", "decoder", "cross"])
def test_a_row_is_set_at_its_position_while_writing_too(side):
    """A row that a decoder writes later is set when it is written, and not the first one of every step."""
    model = core.open_model(FAMILIES / "marian_mt")
    sample = core.Sample.from_ids(range(10, 18))
    change = SetRow(row=3, shares=(0.5, 0.5), side=side)
    answer = core.trace(model, sample, (change,)).sample.target
    again = core.trace(model, replace(sample, target=answer), (change,))
    assert len(answer) > 5
    steps = core.generate(model, sample, (change,), limit=len(answer))
    for row, step in enumerate(steps):
        np.testing.assert_allclose(step.logits, again.logits([row])[0], atol=1e-4)


def test_dropping_all_heads_leaves_what_the_biases_add(traced):
    """Without patterns the mixer is its output bias: every position gets the same."""
    trace, layer = traced("encoder", Drop(layers=(0,))), traced("encoder").model.side("encoder").layers[0]
    mixed = layer.mixer_norm(trace.hiddens["encoder"][0] + layer.mixer.output.bias)
    wanted = layer.feed_norm(mixed + layer.feed_forward(mixed))
    np.testing.assert_allclose(trace.hidden(1), wanted[0].detach().numpy(), atol=1e-5)


def test_without_positions_an_encoder_is_blind_to_order(minilm):
    ids = core.read(minilm, "dog bites man").ids
    for given, blind in (((NoPositions(),), True), ((), False)):
        there, back = (
            core.trace(minilm, core.Sample.from_ids(order), given).final for order in (ids, ids[::-1].copy())
        )
        assert np.allclose(there, back[::-1], atol=1e-5) == blind


def test_changes_compare_by_value_and_cannot_be_written_on():
    assert Drop(layers=(1,)) == Drop(layers=(1,))
    assert len({Drop(layers=(1,)), Drop(layers=(1,)), Drop(layers=(2,))}) == 2
    with pytest.raises(AttributeError):
        Drop().layers = (1,)
