"""Who may run now: one at a time, nobody who would wait too long, nothing that would take more memory than there is."""

import threading
from dataclasses import dataclass

import pytest
import torch

import core
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
    [MemoryError(), torch.OutOfMemoryError("out"), RuntimeError("DefaultCPUAllocator: can't allocate memory")],
)
def test_memory_that_runs_out_is_told_and_the_next_run_begins(failure):
    one = admission()

    def fail():
        raise failure

    assert refused(lambda: one.run("a", 7, fail)).key == "run_memory_ended"
    assert not one.turn.busy
    assert one.run("a", 7, lambda: Made(1)).bytes == 1


def test_another_failure_stays_what_it_is():
    one = admission()

    def fail():
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        one.run("a", 7, fail)


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
