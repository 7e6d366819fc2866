"""What chips and published models make of reading and writing: published numbers, and laws that hold for every row."""

import math

import pytest

from core import cost, words
from core.cost import KINDS, Chip, Load, chips, published, reading, writing
from core.cost.published import READ

MODELS, CHIPS = {one.name: one for one in published()}, {one.name: one for one in chips()}
each_model = pytest.mark.parametrize("model", published(), ids=lambda one: one.name)
each_chip = pytest.mark.parametrize("chip", chips(), ids=lambda one: one.name)
ONE = Load()
STATED = {
    "gpt2-xl": (1.5e9, 1.5e9),
    "llama-2-70b": (70e9, 70e9),
    "llama-3.1-405b": (405e9, 405e9),
    "mixtral-8x7b": (47e9, 13e9),
    "deepseek-v2": (236e9, 21e9),
    "deepseek-v3": (671e9, 37e9),
    "jamba": (52e9, 12e9),
}


def test_there_are_sixteen_of_every_kind():
    assert len(MODELS) == 16
    assert {one.kind for one in published()} == set(KINDS)


@each_model
def test_a_model_has_its_source_and_its_layers(model):
    assert model.source
    assert model.address
    assert model.read in READ
    assert len(model.keeps()) == model.layers
    assert 0 < model.multiplied < model.active <= model.parameters


@pytest.mark.parametrize("name", STATED)
def test_parameters_are_those_that_its_authors_state(name):
    model, (whole, active) = MODELS[name], STATED[name]
    assert model.parameters == pytest.approx(whole, rel=0.05)
    assert model.active == pytest.approx(active, rel=0.05)


def test_published_caches():
    """Qwen3 4B, Llama 3.1 8B; DeepSeek-V2 keeps 9/2 head widths a layer (its table 1)."""
    assert MODELS["qwen3-4b"].kept(1) == 147_456
    assert MODELS["llama-3.1-8b"].kept(1) == 131_072
    assert MODELS["deepseek-v2"].kept(1) == 60 * 4.5 * 128 * 2
    assert MODELS["falcon-7b"].kept(1) == MODELS["falcon-7b"].layers * 2 * 64 * 2


def test_a_window_stops_growing_and_a_state_does_not_grow():
    mistral, mamba = MODELS["mistral-7b"], MODELS["mamba-2.8b"]
    assert mistral.kept(4096) == mistral.kept(100_000)
    assert mamba.kept(1) == mamba.kept(100_000) == mamba.kept(100_000, 0.5)


@each_model
def test_a_cache_in_four_bits_is_a_quarter_but_for_states(model):
    states = model.kept(9, 0)
    assert model.kept(9, 0.5) - states == pytest.approx((model.kept(9) - states) / 4)


@each_chip
def test_a_chip_has_its_source_and_a_roof_with_a_ridge(chip):
    assert chip.address
    assert all(f"cost.chip_{chip.name}" in words.catalogue(language) for language in words.languages())
    assert chip.roof(chip.ridge) == pytest.approx(chip.operations)
    assert chip.roof(chip.ridge / 2) == pytest.approx(chip.operations / 2)
    assert chip.roof(chip.ridge * 2) == chip.operations


def test_the_ridge_of_an_a100():
    assert CHIPS["a100"].ridge == pytest.approx(153, rel=0.01)


def test_a_token_alone_reads_every_weight_once():
    """Llama 3.1 8B on an H100: 2 bytes of 7.5 of 8.03 billion parameters (the rest is looked up) in 4.5 ms."""
    model, step = MODELS["llama-3.1-8b"], writing(MODELS["llama-3.1-8b"], 0, 1, ONE)
    assert step.weights == 2 * (model.parameters - model.head)
    assert step.seconds(CHIPS["h100"]) == pytest.approx(4.48e-3, rel=0.01)
    assert step.waits_for_memory(CHIPS["h100"])


@each_model
@pytest.mark.parametrize("length", [64, 4096])
def test_reading_and_writing_multiply_alike_but_writing_reads_more(model, length):
    read, written = reading(model, length, ONE), writing(model, 0, length, ONE)
    assert written.weights == pytest.approx(length * read.weights) or model.experts > 1
    assert written.bytes > read.bytes
    assert written.operations >= read.operations
    assert read.tokens == written.tokens == length


def test_an_answer_is_the_sum_of_its_tokens():
    model = MODELS["deepseek-v2"]
    steps = [writing(model, place, 1, Load(batch=3)) for place in range(5, 12)]
    whole = writing(model, 5, 7, Load(batch=3))
    for name in ("tokens", "operations", "weights", "cache"):
        assert getattr(whole, name) == pytest.approx(sum(getattr(step, name) for step in steps))


def test_a_batch_shares_the_weights_and_nothing_else():
    model = MODELS["llama-3.1-8b"]
    one, many = writing(model, 100, 1, ONE), writing(model, 100, 1, Load(batch=32))
    assert (many.weights, many.cache) == (one.weights, 32 * one.cache)
    assert many.operations == 32 * one.operations


def test_experts_are_read_if_somebody_is_sent_to_them():
    model = MODELS["mixtral-8x7b"]
    assert model.touched(1) == pytest.approx(model.active - model.head)
    assert model.touched(10_000) == pytest.approx(model.parameters - model.head)


def test_enough_texts_at_once_make_arithmetic_what_is_waited_for():
    model, chip = MODELS["llama-3.1-8b"], CHIPS["h100"]
    count = cost.enough(model, chip, 16, ONE)
    assert count is not None
    assert not writing(model, 16, 1, Load(batch=count)).waits_for_memory(chip)
    assert writing(model, 16, 1, Load(batch=count // 2)).waits_for_memory(chip)
    assert cost.enough(model, chip, 100_000, ONE) is None


def test_what_fits_on_a_card_fits_to_the_last_token():
    model, chip = MODELS["llama-3.1-8b"], CHIPS["h100"]
    longest = cost.longest(model, chip, ONE)
    assert cost.held(model, longest, ONE) <= chip.memory < cost.held(model, longest + 1, ONE)
    assert cost.longest(MODELS["llama-3.1-405b"], chip, ONE) == 0
    assert cost.longest(MODELS["mamba-2.8b"], chip, ONE) is None
    assert cost.cards(MODELS["llama-3.1-405b"], chip, 1, ONE) == math.ceil(2 * 405_853_388_800 / 80e9)


def test_a_price_is_time_times_money():
    chip = Chip(name="x", title="x", format="x", operations=1e12, bandwidth=1e12, memory=1e12)
    stage = cost.Stage(tokens=10, operations=36e12, weights=1, cache=0)
    assert stage.seconds(chip) == 36
    assert stage.price(chip, 2.0) == pytest.approx(36 / 10 * 1e6 * 2 / 3600)
