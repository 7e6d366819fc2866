"""Who may run now: one at a time, nobody who would wait too long, nothing that would take more memory than there is."""

import errno
import threading
from dataclasses import dataclass

import pytest
import torch

import core
from core.catalog.memory import available
from core.engine import LocalEngine, Request
from core.engine.admitting import Admission
from core.engine.tally import Tally
from core.settings import Settings

GIBIBYTE = 1 << 30


@dataclass
class Made:
    bytes: int


def admission(free=GIBIBYTE, **settings):
    return Admission(Settings(**settings), Tally(), lambda: free)


def refused(call):
    with pytest.raises(core.CoreError) as caught:
        call()
    return caught.value


def test_a_first_run_is_let_in_and_says_what_a_piece_costs():
    one = admission(free=1000)
    assert one.run("a", 10, lambda: Made(1000)).bytes == 1000
    ran = []
    why = refused(lambda: one.run("a", 10, lambda: ran.append(1)))
    assert (why.key, why.values["came"], ran) == ("run_memory", 10, [])
    assert one.run("a", 6, lambda: Made(600)).bytes == 600
    assert one.run("b", 10, lambda: Made(10)).bytes == 10


@pytest.mark.parametrize(
    "failure",
    [
        MemoryError(),
        torch.OutOfMemoryError("out"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
        RuntimeError("unable to mmap 9 bytes: Cannot allocate memory (12)"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_memory_that_runs_out_is_told_and_the_next_run_begins(failure):
    one = admission()

    def fail():
        raise failure

    assert refused(lambda: one.run("a", 7, fail)).key == "run_memory_ended"
    assert not one.turn.busy
    assert one.run("a", 7, lambda: Made(1)).bytes == 1


@pytest.mark.parametrize("failure", [RuntimeError("shapes differ"), OSError(errno.ENOENT, "shapes differ")])
def test_another_failure_stays_what_it_is(failure):
    one = admission()

    def fail():
        raise failure

    with pytest.raises(type(failure), match="shapes differ"):
        one.run("a", 7, fail)


@pytest.mark.parametrize("place", ["open", "ask"])
def test_memory_that_runs_out_while_a_model_opens_or_is_asked_is_told_too(place, monkeypatch):
    engine = LocalEngine(Settings(device="cpu"))

    def fail(*_, **__):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    if place == "open":
        monkeypatch.setattr(engine, "_open", fail)
        why = refused(lambda: engine.trace(Request(model="minilm", text="one")))
    else:
        ref = engine.trace(Request(model="minilm", text="one"))
        why = refused(lambda: engine.ask(ref, fail))
    assert (why.key, why.values) == ("memory_ended", {"model": "minilm"})
    monkeypatch.undo()
    assert engine.ask(engine.trace(Request(model="minilm", text="one")), core.analysis.pieces)


def test_who_would_wait_too_long_is_told_how_many_come_first():
    one = admission(max_wait=20)
    one._note("a", 1.0, 24.0)
    assert one.run("a", 1, lambda: Made(1)).bytes == 1
    one._note("a", 1.0, 120.0)
    gate, entered = threading.Event(), threading.Event()

    def held():
        entered.set()
        gate.wait(30)
        return Made(1)

    threads = [threading.Thread(target=one.run, args=("a", 1, work)) for work in (held, lambda: Made(1))]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while not one.turn.waiting:
        pass
    why = refused(lambda: one.run("a", 1, lambda: Made(1)))
    gate.set()
    for thread in threads:
        thread.join(30)
    assert (why.key, why.values) == ("busy", {"ahead": 1, "seconds": 39, "allowed": 20})


def test_a_run_that_needs_too_much_is_refused_by_the_engine_with_its_estimate(monkeypatch):
    engine = LocalEngine(Settings())
    engine.trace(Request(model="minilm", text="One sentence."))
    monkeypatch.setattr(engine._admission, "_free", lambda: 1 << 20)
    why = refused(lambda: engine.trace(Request(model="minilm", text="a cat " * 100)))
    assert (why.key, why.values["came"]) == ("run_memory", 202)
    assert 5 < why.values["wanted"] < 40
    assert engine.vitals().refused == {"run_memory": 1}


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ({}, 8 << 20),
        ({"": "max"}, 8 << 20),
        ({"": "5000000"}, 5_000_000 - 3_000_000 + 1_000_000),
        ({"": "max", "service": "max", "service/one": "4000000"}, 2_000_000),
        ({"service": "4500000", "service/one": "4000000"}, 2_000_000),
        ({"service": "3500000", "service/one": "4000000"}, 1_500_000),
        ({"": "1000000"}, 0),
    ],
    ids=str,
)
def test_memory_is_what_the_container_or_the_service_may_still_take(tmp_path, limits, wanted):
    """A container sees the memory of the whole machine: what counts is the limit of each group that it is in."""
    (tmp_path / "meminfo").write_text("MemTotal: 99999 kB\nMemAvailable: 8192 kB\n")
    (tmp_path / "group").write_text("4:memory:/old\n0::/service/one\n" if "service" in limits else "0::/\n")
    groups = tmp_path / "groups"
    for name, limit in limits.items():
        folder = groups / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text("3000000\n")
        (folder / "memory.stat").write_text("anon 5\ninactive_file 1000000\nactive_file 7\n")
    assert available(tmp_path / "meminfo", tmp_path / "group", groups) == wanted
    assert available(tmp_path / "none", tmp_path / "none", tmp_path / "none") > 1 << 60
