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
    run = Run(machine=MACHINE, points=(POINT, lost))
    write(run, tmp_path / "here.json")
    assert read(tmp_path / "here.json") == run
    assert saved(tmp_path) == {"here": run}


def test_of_two_points_of_one_unit_the_lower_median_stays():
    slower, faster = replace(POINT, seconds=0.5), replace(POINT, seconds=0.1)
    lost = Point(unit=UNIT, outcome="memory")
    for other, stays in ((slower, POINT), (faster, faster), (lost, POINT)):
        joined = Run(machine=MACHINE, points=(POINT,)).joined(Run(machine=MACHINE, points=(other,)))
        assert joined.points == (stays,)
    assert Run(machine=MACHINE, points=(lost,)).joined(Run(machine=MACHINE, points=(POINT,))).points == (POINT,)


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
