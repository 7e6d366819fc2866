"""Saved runs: what is written is read again, and of two measurements the undisturbed one stays."""

from dataclasses import replace

import pytest

from core.measure import Machine, Point, Run, Unit, read, saved, write
from core.measure.results import FOLDER

MACHINE = Machine(name="one", device="cpu", threads=2, versions={"torch": "2"}, date="2026-01-01", operations=5.0)
UNIT = Unit(subject="linear", length=64)
POINT = Point(unit=UNIT, seconds=0.25, low=0.125, high=0.5, times=3, bytes=1000, resident=2000, weights=10)


def test_a_run_is_read_as_it_was_written(tmp_path):
    lost = Point(unit=replace(UNIT, length=128, back=True), outcome="memory", bytes=10**11)
    run = Run(machine=MACHINE, points=(replace(POINT, passes=(0.25, 0.75)), lost))
    write(run, tmp_path / "here.json")
    assert read(tmp_path / "here.json") == run
    assert saved(tmp_path) == {"here": run}


def joined(one, other):
    (found,) = Run(machine=MACHINE, points=(one,)).joined(Run(machine=MACHINE, points=(other,))).points
    return found


def test_of_two_points_of_one_unit_the_lower_median_stays_with_the_medians_of_both():
    slower, faster = replace(POINT, seconds=0.75), replace(POINT, seconds=0.2)
    lost = Point(unit=UNIT, outcome="memory")
    assert joined(POINT, slower) == joined(slower, POINT) == replace(POINT, passes=(0.25, 0.75))
    assert joined(joined(POINT, slower), faster) == replace(faster, passes=(0.2, 0.25, 0.75))
    assert joined(POINT, lost) == joined(lost, POINT) == POINT


def test_a_spread_reaches_as_far_as_the_second_lowest_pass():
    assert POINT.spread == (0.125, 0.5)
    assert joined(POINT, replace(POINT, seconds=0.3)).spread == (0.125, 0.5)
    assert joined(joined(POINT, replace(POINT, seconds=0.75)), replace(POINT, seconds=9.0)).spread == (0.125, 0.75)


def test_what_a_machine_reaches_is_the_better_of_both():
    other = replace(MACHINE, date="2026-02-02", operations=2.0, read=3.0)
    joined = Run(machine=MACHINE, points=()).joined(Run(machine=other, points=()))
    assert joined.machine == replace(other, operations=5.0)


def test_points_of_a_subject_come_by_length():
    points = tuple(replace(POINT, unit=replace(UNIT, length=length)) for length in (256, 64, 128))
    found = Run(machine=MACHINE, points=points).of("linear", back=False, width=64)
    assert [point.unit.length for point in found] == [64, 128, 256]
    assert Run(machine=MACHINE, points=points).of("linear", back=True, width=64) == ()


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_saved_run_says_where_and_when_and_what_the_machine_reaches(file):
    run = read(file)
    assert run.machine.name
    assert run.machine.date
    assert run.machine.versions["torch"]
    assert run.machine.operations > run.machine.read > 0
    assert all(point.low <= point.seconds <= point.high for point in run.points)
