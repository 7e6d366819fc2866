"""Measuring in a process of its own: memory by its own account, refusals before anything is allocated, a real end."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import torch

from core.errors import CoreError
from core.measure import (
    LONG,
    MEMORY,
    REFUSED,
    Estimate,
    Forecast,
    Machine,
    Point,
    Unit,
    Wanted,
    estimating,
    forecast,
    measuring,
    process,
    saved,
    steps,
)
from core.measure.clocks import allocated, measured
from core.measure.estimating import planned
from core.measure.process import COMMAND, ROOT
from core.settings import Settings

GENEROUS = Settings(measure_mib=4096)
TASKS = Path("/proc/self/task")


def twenty_gib():
    return 20 << 30


@pytest.fixture(autouse=True)
def plenty(monkeypatch):
    """Sixteen GiB are free, whoever else is at work here."""
    monkeypatch.setattr(estimating, "available", twenty_gib)


def ordered(*units):
    return Forecast(units=tuple(Estimate(unit=unit, seconds=0.1, bytes=1) for unit in units), refused=())


def points(coming):
    return [one for one in coming if isinstance(one, Point)]


def test_the_allocator_is_counted_to_the_byte():
    def run():
        one = torch.empty(1000)
        del one
        return torch.empty(500), torch.empty(700)

    assert allocated(run) == 4 * 1200


def test_a_pattern_that_is_written_down_is_counted_twice_over():
    """The scores and the shares of four heads are there at once."""
    found = measured(Unit(subject="plain", length=512), "cpu")
    assert 1.0 <= found.bytes / (2 * 4 * 512 * 512 * 4) < 1.2
    assert found.low <= found.seconds <= found.high
    assert found.times >= 3
    assert found.weights == 4 * 4 * 64 * 64


def test_backward_keeps_what_forward_made():
    forward, both = (measured(Unit(subject="linear", length=512, back=back), "cpu") for back in (False, True))
    assert both.bytes > 1.5 * forward.bytes


UNITS = [Unit(subject=subject, length=length) for subject in ("everyone", "linear") for length in (512, 64)]


@pytest.fixture(scope="module")
def swept():
    """All that comes of measuring these points in this order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimating, "available", twenty_gib)
        return [one for one in measuring(ordered(*UNITS), GENEROUS, "cpu") if one is not None]


def test_memory_does_not_depend_on_what_was_measured_before(swept):
    one = {point.unit: point.bytes for point in points(swept)}
    other = {point.unit: point.bytes for point in points(measuring(ordered(*reversed(UNITS)), GENEROUS, "cpu"))}
    assert one.keys() == other.keys() == set(UNITS)
    for unit in UNITS:
        assert other[unit] == pytest.approx(one[unit], rel=0.03)
    assert one[UNITS[1]] < one[UNITS[0]]


def test_a_point_that_runs_out_of_memory_is_told_and_the_rest_goes_on():
    units = [Unit(subject="plain", length=6000), Unit(subject="linear", length=64), Unit(subject="minilm", length=600)]
    found = points(measuring(ordered(*units), Settings(measure_mib=64), "cpu"))
    assert [point.outcome for point in found] == [MEMORY, "measured", LONG]
    assert found[0].bytes == 1  # what was estimated stands in for it


def test_the_machine_comes_first_with_what_it_reaches(swept):
    machine = swept[0]
    assert isinstance(machine, Machine)
    assert machine.operations > 1e8
    assert machine.read > 1e7
    assert machine.device == "cpu"
    assert machine.versions["torch"] == torch.__version__


@pytest.mark.skipif(not TASKS.is_dir(), reason="this system does not list a process's children")
def test_closing_ends_the_process_and_all_that_it_has_started():
    units, others = [Unit(subject="plain", length=2048)] * 50, children(os.getpid())
    with closing(measuring(ordered(*units), GENEROUS, "cpu")) as coming:
        next(one for one in coming if isinstance(one, Point))
        (worker,) = children(os.getpid()) - others
        started = {worker, *children(worker)}
    assert [process for process in started if alive(process)] == []


@pytest.mark.skipif(not TASKS.is_dir(), reason="this system does not list a process's children")
def test_a_worker_to_which_nobody_listens_ends():
    worker = subprocess.Popen([*COMMAND], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    unit = {"subject": "plain", "length": 2048, "back": False, "width": 64}
    worker.stdin.write(json.dumps({"units": [unit] * 50, "device": "cpu", "threads": 0, "limit": 1 << 30}) + "\n")
    worker.stdin.flush()
    assert "machine" in worker.stdout.readline()
    worker.stdin.close()
    assert worker.wait(30) == 1
    worker.stdout.close()


def children(process):
    tasks = Path(f"/proc/{process}/task").iterdir()
    return {int(child) for task in tasks for child in (task / "children").read_text().split()}


def alive(process):
    """Whether a process is there and not merely waiting to be told goodbye."""
    status = Path(f"/proc/{process}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


@pytest.mark.parametrize("back", [False, True])
def test_a_sweep_that_must_fail_is_refused_before_anything_is_allocated_twice_the_same(back):
    wanted = Wanted(subjects=("linear", "plain"), lengths=(64, 65_536), back=back)
    said = []
    for _ in range(2):
        with pytest.raises(CoreError) as refused:
            forecast(wanted, Settings(), saved().values())
        said.append((refused.value.key, refused.value.values))
    assert said[0] == said[1]
    assert said[0][0] == "measure_memory"
    assert said[0][1]["what"] == "plain"
    least = (4 if back else 2) * 4 * 65_536**2 * 4 / 1e9
    assert least < float(said[0][1]["came"]) < 1.1 * least


def test_what_is_too_large_can_be_left_out():
    wanted = Wanted(subjects=("linear", "plain"), lengths=(64, 65_536), skip=True)
    found = forecast(wanted, Settings(), saved().values())
    assert [one.unit for one in found.refused] == [Unit(subject="plain", length=65_536)]
    assert {one.unit.length for one in found.units if one.unit.subject == "plain"} == {64}
    first = next(point for point in measuring(found, GENEROUS, "cpu") if point)
    assert (first.outcome, first.bytes) == (REFUSED, found.refused[0].bytes)


def test_what_would_take_too_long_is_refused_with_its_estimate():
    wanted = Wanted(subjects=("everyone",), lengths=(65_536,))
    with pytest.raises(CoreError) as refused:
        forecast(wanted, Settings(measure_seconds=10), ())
    assert refused.value.key == "measure_time"
    assert refused.value.values["came"] > 10


@pytest.mark.parametrize(
    ("wanted", "settings", "key"),
    [
        (Wanted(subjects=(), lengths=(64,)), Settings(), "measure_nothing"),
        (Wanted(subjects=("full",), lengths=()), Settings(), "measure_nothing"),
        (Wanted(subjects=("full",), lengths=(0,)), Settings(), "measure_length"),
        (Wanted(subjects=("zorp",), lengths=(64,)), Settings(), "unknown_choice"),
        (Wanted(subjects=("full",), lengths=(64,)), Settings(measure_seconds=0), "measure_off"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_its_reason(wanted, settings, key):
    with pytest.raises(CoreError) as refused:
        forecast(wanted, settings, ())
    assert refused.value.key == key


def test_lengths_come_in_an_order_that_follows_from_the_seed():
    lengths = tuple(64 << step for step in range(9))
    one, again, other = (planned(Wanted(subjects=("full",), lengths=lengths, seed=seed)) for seed in (0, 0, 1))
    assert one == again != other
    assert sorted(unit.length for unit in one) == list(lengths) != [unit.length for unit in one]


def test_an_estimate_is_scaled_from_the_nearest_shorter_point():
    known = [
        Point(unit=Unit(subject="everyone", length=length), seconds=length / 1000, bytes=length * 1000)
        for length in (64, 1024)
    ]
    found = estimating.estimate(Unit(subject="everyone", length=4096), known)
    assert found.seconds == pytest.approx(0.1 + (1.024 * 16) * (4 + 3))
    assert found.bytes == int(1.25 * 4 * 1024 * 1000)


def test_no_more_than_four_fifths_of_what_is_free_may_be_taken(monkeypatch):
    monkeypatch.setattr(estimating, "available", lambda: 5 << 30)
    assert estimating.memory(Settings()) == 4 << 30
    assert estimating.memory(Settings(measure_mib=1024)) == 1 << 30


def test_lengths_double_with_one_between_in_each_of_the_last_two_doublings():
    assert steps(16_384)[-5:] == (4096, 6144, 8192, 12_288, 16_384)
    assert steps(16_384)[:3] == (16, 32, 64)
    assert steps(16) == (16,)


def test_threads_look_out_for_one_another_before_they_sleep():
    told = "import json, os; print(json.dumps({'machine': {'device': os.environ['GOMP_SPINCOUNT']}}))"
    with process._started((sys.executable, "-c", told)) as started:
        assert json.loads(started.stdout.readline())["machine"] == {"device": "1000"}
