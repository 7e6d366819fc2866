"""What a cache costs, against published numbers and against tensors."""

import pytest

from core import cost
from core.cost import Keys, Latent, Source, State, cells, keys_and_values

ONE = Keys(heads=8, groups=2, key_width=64, value_width=64, size=2)


def test_published_sizes():
    """Qwen3-4B, whose heads are wider than its width divided by them, and Llama 3 8B."""
    assert keys_and_values(layers=36, groups=8, head_width=128, size=2) == 147_456
    assert keys_and_values(layers=32, groups=8, head_width=128, size=2) == 131_072


def test_a_window_keeps_no_more_than_it_is_wide():
    window = Keys(heads=8, groups=2, key_width=64, value_width=64, size=2, window=10)
    assert [window.bytes(length) for length in (4, 10, 11, 10_000)] == [ONE.bytes(n) for n in (4, 10, 10, 10)]
    assert (window.kind, ONE.kind) == ("window", "keys")


def test_layers_add_up():
    layers = (
        ONE,
        State(numbers=100, held=400),
        Source(keys=ONE, places=7),
        Latent(heads=8, width=32, turned=4, size=2),
    )
    assert cost.cache_per_token(layers) == 512 + 72
    assert cost.cache_bytes(layers, 0) == 0
    assert cost.cache_bytes(layers, 3) == 3 * 512 + 400 + 7 * 512 + 3 * 72
    assert cost.cache_bytes(layers, 4) - cost.cache_bytes(layers, 3) == cost.cache_per_token(layers)


def test_a_latent_of_deepseek_is_smaller_than_the_keys_of_its_heads():
    """DeepSeek-V2, table 1: 9/2 head widths a layer, where multi-head attention keeps 2 x 128 of them."""
    latent = Latent(heads=128, width=512, turned=64, size=2)
    heads = Keys(heads=128, groups=128, key_width=128, value_width=128, size=2)
    assert heads.per_token / latent.per_token == pytest.approx(2 * 128 / 4.5)


@pytest.mark.parametrize("window", [0, 1, 3, 5, 20])
@pytest.mark.parametrize("start", [0, 2, 7, 9])
def test_cells_are_counted_as_one_would_by_hand(start, window):
    rows = range(start, 9)
    assert cells(start, 9, window) == sum(min(row + 1, window or row + 1) for row in rows)


def test_one_at_a_time_looks_at_as_many_cells_as_all_at_once():
    steps = [ONE.operations(place, place + 1) for place in range(12)]
    assert sum(steps) == ONE.operations(0, 12)
    assert steps[-1] == 2 * 8 * 128 * 12


def test_what_is_read_while_writing_adds_up_step_by_step():
    window = Keys(heads=8, groups=2, key_width=64, value_width=64, size=2, window=5)
    for layer in (ONE, window, State(numbers=9, held=36), Latent(heads=8, width=32, turned=4, size=2)):
        assert layer.read(2, 9) == sum(layer.bytes(place + 1) for place in range(2, 9))
    source = Source(keys=ONE, places=7)
    assert source.read(0, 3) == 3 * 7 * ONE.per_token
    assert cost.cache_read((ONE, window), 2, 9) == ONE.read(2, 9) + window.read(2, 9)
