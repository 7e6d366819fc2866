"""Several people write at once: they wait in line, all finish, and what nobody wants any more is not computed."""

import threading
from pathlib import Path

import pytest

import core
from core import engine, settings

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
WANTED = engine.Wanted(model="gpt2_lm", text="the cat", limit=6, stop=())


@pytest.fixture
def local():
    return engine.LocalEngine(settings.Settings(models_root=FAMILIES, writers=1, device="cpu"))


def test_three_at_once_queue_visibly_and_all_finish(local):
    told = {}

    def write(session):
        told[session] = list(local.write(WANTED, session))

    first = local.write(WANTED, "first")
    begun = [next(first)]
    others = [threading.Thread(target=write, args=(name,)) for name in ("second", "third")]
    for other in others:
        other.start()
    while len(local._line) < 3:
        pass
    begun += list(first)
    for other in others:
        other.join(60)
    steps = [[one.ident for one in parts if isinstance(one, core.Step)] for parts in (begun, *told.values())]
    assert steps[0] == steps[1] == steps[2]
    assert len(steps[0]) == 6
    assert all(isinstance(parts[0], engine.Waiting) for parts in told.values())
    assert {parts[0].ahead for parts in told.values()} == {1, 2}
    assert len(local._line) == 0


@pytest.mark.parametrize("how", ["closed", "dropped", "stopped", "begun anew"])
def test_work_ends_within_a_step(local, how):
    writing = local.write(WANTED, "mine")
    assert isinstance(next(writing), core.Step)
    if how == "closed":
        writing.close()
    elif how == "dropped":
        del writing
    elif how == "stopped":
        local.stop("mine")
        assert list(writing) == []
    else:
        again = local.write(WANTED, "mine")
        assert isinstance(next(again), core.Step)
        assert list(writing) == []
        again.close()
    assert len(local._line) == 0


def test_steps_hold_no_tensors_and_a_server_has_its_limit():
    small = engine.LocalEngine(settings.Settings(models_root=FAMILIES, max_written=2, device="cpu"))
    steps = list(small.write(WANTED, "mine"))
    assert [step.ended for step in steps] == [None, "limit"]
    assert all(step.score is None for step in steps)
