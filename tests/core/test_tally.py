"""What an engine says of itself: numbers that add up, and no word of anybody."""

import threading

import pytest

import core
from core.engine import BOUNDS, LocalEngine, Request
from core.engine.tally import Tally, Turn
from core.settings import Settings

SECRET = "zyzzyva"


@pytest.fixture(scope="module")
def engine():
    engine = LocalEngine(Settings())
    ref = engine.trace(Request(model="minilm", text=f"The {SECRET} slept."))
    for _ in range(2):
        engine.ask(ref, core.analysis.pieces)
        engine.trace(ref.request)
    with pytest.raises(core.CoreError):
        engine.trace(Request(model="minilm", text=SECRET * 20_000))
    return engine


def test_it_counts_what_was_made_and_what_was_found(engine):
    vitals = engine.vitals()
    made = {name: (store.things, store.made) for name, store in vitals.stores.items()}
    assert made == {"models": (1, 1), "traces": (1, 1), "answers": (1, 1)}
    assert vitals.stores["answers"].found == 1
    assert vitals.stores["traces"].found == 3
    assert all(0 < store.bytes < store.limit for store in vitals.stores.values())


def test_it_counts_phases_and_refusals(engine):
    vitals = engine.vitals()
    assert {name: phase.count for name, phase in vitals.phases.items()} == {"open": 1, "run": 1, "ask": 1, "wait": 1}
    assert vitals.refused == {"too_many_characters": 1}
    assert (vitals.writing, vitals.measuring, vitals.waiting) == (0, 0, 0)


def test_it_says_nothing_of_what_was_typed(engine):
    assert SECRET not in repr(engine.vitals())


def test_a_phase_counts_what_took_no_longer_than_each_bound(monkeypatch):
    tally, clock = Tally(), iter((0.0, 0.02, 0.0, 0.02, 0.0, 60.0))
    monkeypatch.setattr("core.engine.tally.time.monotonic", lambda: next(clock))
    for _ in range(3):
        with tally.timed("run"):
            pass
    phase = tally.phases()["run"]
    assert (phase.count, phase.seconds) == (3, pytest.approx(60.04))
    assert phase.within == tuple(2 if bound >= 0.02 else 0 for bound in BOUNDS)


def test_a_turn_tells_who_waits_and_lets_one_in_at_a_time():
    turn, inside, most = Turn(Tally()), [], []

    def work():
        with turn:
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    with turn:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        end = threading.Event()
        for _ in range(200):
            if turn.waiting == 4:
                break
            end.wait(0.01)
        assert turn.waiting == 4
        assert most == []
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1]
    assert turn.waiting == 0
