"""The bench: one at a time, the others in line, and nobody's work outlives their interest."""

import time

import pytest

from core.engine.bench import Bench
from core.errors import CoreError
from core.measure import Machine, Point, Wanted
from core.settings import Settings

MACHINE = Machine(name="here", device="cpu", threads=2, versions={}, date="2026-01-01")
WANTED = Wanted(subjects=("linear",), lengths=(64, 128))


class Measuring:
    """Stands in for the process: hands out a point whenever it may, and notes when it is closed."""

    def __init__(self):
        self.allowed, self.begun, self.closed = 0, 0, 0

    def __call__(self, forecast, settings, device):
        self.begun += 1
        try:
            yield MACHINE
            for number, one in enumerate(forecast.units):
                while number >= self.allowed:
                    time.sleep(0.005)
                    yield None
                yield Point(unit=one.unit, seconds=1.0)
        finally:
            self.closed += 1


@pytest.fixture
def process():
    return Measuring()


def bench(process, lease=20.0, **settings):
    return Bench(Settings(**settings), lease=lease, measuring=process)


def until(true):
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_points_are_there_as_they_come_and_then_the_run(process):
    here = bench(process)
    here.begin(WANTED, "one")
    process.allowed = 1
    until(lambda: len(here.standing("one").points) == 1)
    assert here.standing("one").ended == ""
    assert here.standing("one").count == 2
    assert here.standing("one").left > 0
    process.allowed = 2
    until(lambda: here.standing("one").ended == "done")
    assert here.standing("one").run.machine == MACHINE
    assert {point.unit.length for point in here.standing("one").run.points} == {64, 128}
    assert process.closed == 1


def test_the_others_see_their_place_in_line_and_come_to_their_turn(process):
    here = bench(process)
    for name in ("one", "two", "three"):
        here.begin(WANTED, name)
    until(lambda: process.begun == 1)
    assert [here.standing(name).ahead for name in ("one", "two", "three")] == [0, 1, 2]
    here.stop("two")
    until(lambda: here.standing("two").ended == "stopped")
    assert here.standing("three").ahead == 1
    process.allowed = 2
    until(lambda: here.standing("three").ended == "done")
    assert process.begun == 2  # the one who gave up was never measured


def test_stopping_closes_the_process_and_keeps_what_was_measured(process):
    here = bench(process)
    here.begin(WANTED, "one")
    process.allowed = 1
    until(lambda: len(here.standing("one").points) == 1)
    here.stop("one")
    until(lambda: here.standing("one").ended)
    assert here.standing("one").ended == "stopped"
    assert len(here.standing("one").run.points) == 1
    assert process.closed == 1


def test_who_goes_away_ends_the_work(process):
    here = bench(process, lease=0.05)
    here.begin(WANTED, "one")
    until(lambda: process.closed == 1)
    until(lambda: here.standing("one").ended == "stopped")


def test_who_asks_keeps_it_going(process):
    here = bench(process, lease=0.5)
    here.begin(WANTED, "one")
    end = time.monotonic() + 1.2
    while time.monotonic() < end:
        assert here.standing("one").ended == ""
        time.sleep(0.02)
    here.stop("one")


def test_a_new_one_ends_the_one_before(process):
    here = bench(process)
    here.begin(WANTED, "one")
    until(lambda: process.begun == 1)
    here.begin(Wanted(subjects=("full",), lengths=(64,)), "one")
    until(lambda: process.closed == 1)
    process.allowed = 9
    until(lambda: here.standing("one").ended == "done")
    assert [point.unit.subject for point in here.standing("one").points] == ["full"]


def test_what_is_refused_ends_nothing(process):
    here = bench(process)
    here.begin(WANTED, "one")
    until(lambda: process.begun == 1)
    with pytest.raises(CoreError):
        here.begin(Wanted(subjects=("plain",), lengths=(65_536,)), "one")
    assert here.standing("one").ended == ""
    here.stop("one")


def test_a_process_that_ends_too_early_is_said_to_have_failed():
    here = Bench(Settings(), measuring=lambda *_: (one for one in (MACHINE,)))
    here.begin(WANTED, "one")
    until(lambda: here.standing("one").ended == "failed")
    assert here.standing("nobody") is None
