"""Published values of position schemes, worked out by hand or from the papers; and what the page asks about them."""

import math

import numpy as np
import pytest
import torch

import core
from core.analysis import held, order
from core.positions import ByWavelength, Dynamic, Linear, Neighbours, Rotary, Sinusoidal, Yarn

ONE = torch.tensor([1])
LENGTH = torch.tensor([64])


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        ("neighbours", [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]),
        ("halves", [math.sin(1), math.sin(0.01), math.cos(1), math.cos(0.01)]),
    ],
)
def test_the_sinusoids_of_position_one_in_both_layouts(layout, row):
    assert Sinusoidal(width=4, layout=layout).rows(ONE)[0].tolist() == pytest.approx(row, abs=1e-7)


def test_position_zero_is_sines_of_zero_and_cosines_of_one():
    assert Sinusoidal(width=6).rows(torch.tensor([0]))[0].tolist() == [0, 1, 0, 1, 0, 1]


def test_the_wavelengths_run_from_two_pi_to_the_base():
    """10000 is never quite reached by the paper's formula; spaced closed, it is the slowest wave exactly."""
    assert Sinusoidal(width=4).wavelengths().tolist() == pytest.approx([2 * math.pi, 200 * math.pi])
    assert Sinusoidal(width=4, closed=True).wavelengths().tolist() == pytest.approx([2 * math.pi, 20_000 * math.pi])


def test_far_positions_stay_exact():
    """sin(100000) = 0.0357487979720165 (any table of sines); in float32 the angle alone would be off by 0.004."""
    assert float(Sinusoidal(width=2).rows(torch.tensor([100_000]))[0, 0]) == pytest.approx(0.0357487979720165, abs=1e-7)


def test_rotary_halves_and_neighbours_at_position_three():
    """Pair 0 turns by 3, pair 1 by 0.03; (1, 0) becomes (cos, sin) and (0, 1) becomes (-sin, cos)."""
    halves, three = Rotary(head_width=4), torch.tensor([[3]])
    query = torch.tensor([1.0, 0.0, 0.0, 1.0]).reshape(1, 1, 1, 4)
    turned = halves.turn(query, halves.angles(three)).flatten().tolist()
    assert turned == pytest.approx([math.cos(3), -math.sin(0.03), math.sin(3), math.cos(0.03)], abs=1e-6)
    pairs = Neighbours(rotary=halves)
    turned = pairs.turn(query, pairs.angles(three)).flatten().tolist()
    assert turned == pytest.approx([math.cos(3), math.sin(3), -math.sin(0.03), math.cos(0.03)], abs=1e-6)


def test_the_scaling_of_llama_3():
    """Base 500000, head width 128, factor 8, trained on 8192: waves under 2048 are kept, over 8192 divided by 8.

    Pair 32 has the wave 4442.9: share (8192 / 4442.9 - 1) / 3 = 0.28128, frequency 0.00052485.
    """
    scaling = ByWavelength(factor=8.0, low=1.0, high=4.0, trained=8192)
    found = scaling.frequencies(500_000.0, 128, LENGTH)[0]
    assert float(found[0]) == 1.0
    assert float(found[20]) == pytest.approx(500_000 ** (-40 / 128))
    assert float(found[32]) == pytest.approx(0.00052484616, rel=1e-5)
    assert float(found[63]) == pytest.approx(500_000 ** (-126 / 128) / 8)


def test_yarn():
    """Width 8, factor 4, trained on 2048: the ramp begins at pair 8 ln(2048/64pi)/2 ln 10000 = 1.008, so at 1, and
    ends at 2.513, so at 3: pair 2 is half kept, half divided by 4."""
    scaling = Yarn(factor=4.0, trained=2048)
    assert scaling.frequencies(10_000.0, 8, LENGTH)[0].tolist() == pytest.approx([1, 0.1, 0.00625, 0.00025])
    assert scaling.strength == pytest.approx(1.1386294361)
    assert Yarn(factor=4.0, trained=2048, given_strength=1.0).strength == 1.0


def test_linear_divides_and_dynamic_stretches_the_base_of_long_texts():
    assert Linear(factor=4.0).frequencies(10_000.0, 4, LENGTH)[0].tolist() == pytest.approx([0.25, 0.0025])
    dynamic = Dynamic(factor=2.0, trained=8).frequencies(10_000.0, 4, torch.tensor([8, 16]))
    assert dynamic.tolist() == [pytest.approx([1, 0.01]), pytest.approx([1, 1 / 300])]


@pytest.mark.parametrize("layout", ["neighbours", "halves"])
@pytest.mark.parametrize("offset", [0, 1, 17, -3])
def test_one_matrix_moves_every_row_by_an_offset(layout, offset):
    scheme = Sinusoidal(width=32, layout=layout)
    places = torch.arange(5, 105)
    moved = scheme.rows(places).double() @ scheme.shift(offset).T
    assert float((moved - scheme.rows(places + offset)).abs().max()) < 5e-7


def test_the_matrix_is_made_of_rotations_and_nothing_else():
    matrix = Sinusoidal(width=4).shift(1)
    cosine, sine = math.cos(1), math.sin(1)
    assert matrix[:2, :2].tolist() == [pytest.approx([cosine, sine]), pytest.approx([-sine, cosine])]
    assert matrix[:2, 2:].abs().max() == matrix[2:, :2].abs().max() == 0
    assert torch.allclose(Sinusoidal(width=4).shift(2) @ matrix, Sinusoidal(width=4).shift(3))


def test_the_error_of_the_offset_is_rounding_over_all_positions():
    found = order.shift(order.sinusoids(64, 10_000.0, "neighbours"), 5, 5000)
    assert found.checked == 5000
    assert 0 < found.error < 1e-6
    assert order.block(order.sinusoids(64, 10_000.0, "halves"), found, 0) != (0.0, 0.0)
    assert order.shift(order.sinusoids(64, 10_000.0, "neighbours"), 5, 100_000).checked == order.CHECKED


def test_positions_are_picked_evenly_with_both_ends():
    assert order.picked(5) == (0, 1, 2, 3, 4)
    assert len(order.picked(100_000)) == 256
    assert (order.picked(100_000)[0], order.picked(100_000)[-1]) == (0, 99_999)
    for wrong in (0, 1_000_001):
        with pytest.raises(core.CoreError) as refused:
            order.picked(wrong)
        assert refused.value.key == "out_of_range"


def test_of_a_hundred_thousand_positions_only_what_is_drawn_is_computed(monkeypatch):
    computed, whole = [], Sinusoidal.rows

    def counting(self, positions):
        computed.append(positions.numel())
        return whole(self, positions)

    monkeypatch.setattr(Sinusoidal, "rows", counting)
    scheme = order.sinusoids(512, 10_000.0, "neighbours")
    found = order.rows(scheme, 100_000, 7)
    near = order.neighbours(scheme, (0, 3), 100_000, 7)
    assert sum(computed) == 512
    assert found.values.shape == (256, 512)
    assert (found.positions[0], found.positions[-1]) == (7, 100_006)
    assert near.positions == tuple(range(7, 263))


def test_dimensions_say_which_wave_they_hold():
    waves = order.waves(order.sinusoids(4, 10_000.0, "halves"), (1, 2))
    assert [(wave.kind, round(wave.wavelength, 2)) for wave in waves] == [("sine", 628.32), ("cosine", 6.28)]
    with pytest.raises(core.CoreError):
        order.neighbours(order.sinusoids(4, 10_000.0, "halves"), (4,), 8)


def test_the_learned_table_is_the_model_s_own(minilm):
    trace = core.trace(minilm, core.read(minilm, "dog bites man"))
    table = minilm.network.get_parameter("encoder.embed.positions.weight").numpy()
    found = order.learned(trace)
    assert found.length == len(table) == 512
    np.testing.assert_array_equal(found.values, table[list(found.positions)])
    near = order.learned_neighbours(trace, (3, 7), 500)
    np.testing.assert_array_equal(near.values, table[500:512][:, [3, 7]])
    assert order.learned_neighbours(trace, (0,), 9999).positions[-1] == 511


def test_a_model_without_a_table_or_without_turning_says_so(minilm, smollm2):
    turned = core.trace(smollm2, core.read(smollm2, "dog bites man"))
    added = core.trace(minilm, core.read(minilm, "dog bites man"))
    assert held.names(turned) == ("rotary",)
    assert held.names(added) == ("learned",)
    nothing = [
        order.learned(turned),
        order.learned_neighbours(turned, (0,)),
        order.likeness_of_learned(turned, 9),
        held.turns(added, 9),
        held.likeness_of_turning(added, 0, 0, 9),
        held.slopes(added),
        held.buckets(added, 9),
    ]
    assert nothing == [None] * 7


def test_the_angles_of_a_model_are_those_it_turns_by(smollm2):
    trace = core.trace(smollm2, core.read(smollm2, "dog bites man"))
    found = held.turns(trace, 4)
    frequencies = 100_000.0 ** -(np.arange(32) / 32)
    np.testing.assert_allclose(found.wavelengths, 2 * math.pi / frequencies, rtol=1e-5)
    np.testing.assert_allclose(found.angles, np.arange(4)[:, None] * frequencies, atol=1e-6)
    assert np.abs(held.turns(trace, 100_000).angles).max() <= math.pi + 1e-6


def test_sinusoids_and_turned_heads_know_only_the_distance_and_a_learned_table_does_not(minilm, smollm2):
    text = "The dog bites the man because it is hungry."
    sinusoids = order.likeness_of_scheme(order.sinusoids(64, 10_000.0, "neighbours"), 40)
    turned = held.likeness_of_turning(core.trace(smollm2, core.read(smollm2, text)), 3, 4, 40)
    learned = order.likeness_of_learned(core.trace(minilm, core.read(minilm, text)), 40)
    assert sinusoids.spread < 1e-6
    assert turned.spread < 1e-4 * float(np.abs(turned.mean).max())
    assert learned.spread > 0.1
    assert learned.beyond is not None
    assert sinusoids.beyond is None
    cosines = [float(np.cos(5 * 10_000.0 ** (-np.arange(32) / 32)).mean())]
    assert sinusoids.mean[5] == pytest.approx(cosines[0], abs=1e-6)
    np.testing.assert_allclose(held.likeness_of_rotary(40).mean, sinusoids.mean, atol=1e-5)


def test_a_query_is_turned_back_before_it_is_put_elsewhere(smollm2):
    """At distance 0 the product is that of query and key themselves: turning both alike changes nothing."""
    trace = core.trace(smollm2, core.read(smollm2, "dog bites man"))
    attention = trace.layer(2)
    query, key = attention.queries[0, 4], attention.keys[0, 4 // attention.sharing]
    scheme = smollm2.side("decoder").layers[2].mixer.positions
    back = held._turned_back(scheme, attention.queries[:, 4, None])
    again = scheme.turn(back, scheme.angles(torch.tensor([[len(query) - 1]])))
    assert torch.allclose(again[0, 0, 0].float(), query[-1], atol=1e-4)
    told = held._products(scheme, back, held._turned_back(scheme, attention.keys[:, 4 // attention.sharing, None]), 0)
    assert told == pytest.approx([float(query[-1] @ key[-1])] * held.STARTS, rel=1e-3)
