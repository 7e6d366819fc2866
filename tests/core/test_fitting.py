"""What measured curves say: slopes with their intervals, crossings, doublings."""

import math
from dataclasses import replace

import pytest

from core.measure import Point, Unit, crossings, doublings, interpolated, slope

LENGTHS = (64, 128, 256, 512, 1024)


def points(subject, taken, spread=0.01):
    return tuple(
        Point(
            unit=Unit(subject=subject, length=length),
            seconds=float(second),
            low=second * (1 - spread),
            high=second * (1 + spread),
        )
        for length, second in taken.items()
    )


def test_a_power_is_found_exactly_and_without_doubt():
    found = slope([(length, 3e-6 * length**1.5) for length in LENGTHS])
    assert found.exponent == pytest.approx(1.5)
    assert (found.low, found.high) == (pytest.approx(1.5), pytest.approx(1.5))
    assert (found.first, found.last, found.count) == (256, 1024, 3)
    assert found.at(2048) == pytest.approx(3e-6 * 2048**1.5)


def test_only_the_last_two_doublings_count():
    """Below, something constant is added, as the start of every call is; lengths between make more points."""
    lengths = (16, 32, 64, 4096, 6144, 8192, 12_288, 16_384)
    curve = [(length, 1.0 + (0 if length < 128 else 1e-4 * length**2)) for length in lengths]
    assert slope(curve).exponent == pytest.approx(2, abs=0.01)
    assert (slope(curve).first, slope(curve).count) == (4096, 5)
    assert slope(curve, 1024).exponent != pytest.approx(2, abs=0.3)


def test_the_interval_is_that_of_student():
    """Residuals 1, -2, 1 at x = -c, 0, c with c = ln 10: their squares are 6, one is free, and x spreads by 2 c²."""
    found = slope([(10**x, math.exp(y)) for x, y in ((0, 1), (1, -2), (2, 1))], 100)
    assert found.exponent == pytest.approx(0)
    assert found.high == pytest.approx(12.706 * math.sqrt(6 / 2) / math.log(10))
    assert found.low == -found.high


def test_two_points_say_nothing():
    assert slope([(64, 1.0), (128, 2.0)]) is None


def test_a_crossing_is_named_where_it_lies():
    """n and n²/1000 cross at 1,000: between 512 and 1,024 of what was measured."""
    lengths = (*LENGTHS, 2048)
    line = points("linear", {length: length for length in lengths})
    square = points("everyone", {length: length**2 / 1000 for length in lengths})
    (found,) = crossings({"linear": line, "everyone": square})
    assert (found.cheaper, found.dearer) == ("linear", "everyone")
    assert found.length == pytest.approx(1000)
    assert (found.before, found.after) == (512, 1024)


def against_one(*seconds, spread=0.01):
    """Crossings of a curve of these seconds with one that stays at a second."""
    flat = points("linear", dict.fromkeys(LENGTHS, 1.0), spread)
    return crossings({"linear": flat, "full": points("full", dict(zip(LENGTHS, seconds, strict=True)), spread)})


def test_where_the_spreads_overlap_nothing_is_said():
    assert against_one(1.1, 1.1, 0.9, 0.9, 0.9, spread=0.2) == ()
    (found,) = against_one(1.1, 1.1, 0.9, 0.9, 0.9)
    assert (found.cheaper, found.before, found.after) == ("full", 128, 256)


def test_an_order_that_shows_at_one_length_only_is_noise():
    assert against_one(1.1, 0.9, 1.1, 0.9, 1.1) == ()
    assert against_one(1.1, 1.1, 0.9, 1.1, 1.1) == ()
    assert against_one(1.1, 0.9, 0.9, 0.9, 0.9) == ()
    assert against_one(1.1, 1.1, 1.1, 1.1, 0.9) == ()


def test_a_length_in_doubt_is_no_order():
    (found,) = against_one(1.2, 1.1, 1.005, 0.9, 0.8)
    assert (found.before, found.after) == (128, 512)


def test_what_another_pass_took_is_within_the_spread():
    flat = points("linear", dict.fromkeys(LENGTHS, 1.0))
    apart = points("full", {length: 1.1 if length < 256 else 0.9 for length in LENGTHS})
    assert len(crossings({"linear": flat, "full": apart})) == 1
    unsteady = tuple(replace(point, passes=(point.seconds, 1.05, 3.0)) for point in apart)
    assert crossings({"linear": flat, "full": unsteady}) == ()


def test_points_that_were_not_measured_decide_nothing():
    line = points("linear", {64: 1.0, 128: 1.0})
    lost = (Point(unit=Unit(subject="plain", length=64), outcome="refused", bytes=10**12),)
    assert crossings({"linear": line, "plain": lost}) == ()


def test_doubling_is_told_where_all_three_are_there():
    found = doublings([(64, 1.0), (128, 3.0), (256, 9.0), (1024, 99.0)])
    assert [(one.length, one.twice, one.four) for one in found] == [(64, 3.0, 9.0)]


def test_between_two_lengths_a_power_is_followed_and_outside_nothing_is_said():
    curve = [(length, length**2) for length in LENGTHS]
    assert interpolated(curve, 100) == pytest.approx(10_000)
    assert interpolated(curve, 63) is None
    assert interpolated(curve, 1025) is None
