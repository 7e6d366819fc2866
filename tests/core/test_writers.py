"""Several people write at once: they wait in line, all finish, and what nobody wants any more is not computed."""

import threading
from pathlib import Path

import pytest

import core
from core import engine, serving, settings

FAMILIES = Path(__file__).parents[1] / "golden" / "families"
WANTED = engine.Wanted(model="gpt2_lm", text="the cat", limit=6, stop=())


@pytest.fixture
def local():
    return engine.LocalEngine(settings.Settings(models_root=FAMILIES, writers=1, device="cpu"))


@pytest.mark.parametrize("writers", [1, 2])
def test_three_at_once_queue_visibly_and_all_finish(writers):
    """H86: the first ones are held at their first piece until all three are there."""
    local = engine.LocalEngine(settings.Settings(models_root=FAMILIES, writers=writers, device="cpu"))
    told, there = {}, threading.Barrier(3)

    def write(session, writing, *begun):
        there.wait(60)
        told[session] = [*begun, *writing]

    people = []
    for number in range(3):
        writing = local.write(WANTED, str(number))
        begun = [next(writing)]
        people.append(threading.Thread(target=write, args=(str(number), writing, *begun)))
        people[-1].start()
    for person in people:
        person.join(60)
    steps = [[one.ident for one in told[name] if isinstance(one, core.Step)] for name in "012"]
    assert steps[0] == steps[1] == steps[2]
    assert len(steps[0]) == 6
    first = [told[name][0] for name in "012"]
    assert all(isinstance(one, core.Step) for one in first[:writers])
    assert [one.ahead for one in first[writers:]] == list(range(1, 4 - writers))
    assert len(local._line) == 0


def test_a_search_waits_its_turn_and_is_told_how_far_it_is(local):
    wanted = engine.Wanted(model="marian_mt", text="the cat", limit=5, stop=())
    writing = local.write(WANTED, "first")
    next(writing)
    searching = local.searching(wanted, "second", beams=3)
    assert next(searching) == engine.Waiting(ahead=1)
    writing.close()
    *parts, tree = searching
    lengths = [part.length for part in parts if isinstance(part, engine.Searching)]
    assert lengths == list(range(1, len(lengths) + 1))
    assert lengths
    assert tree.ids == local.search(wanted, beams=3).ids
    assert len(local._line) == 0


@pytest.mark.parametrize("how", ["closed", "stopped"])
def test_a_search_ends_within_a_step(local, how):
    wanted = engine.Wanted(model="marian_mt", text="the cat", limit=5, stop=())
    searching = local.searching(wanted, "mine", beams=3)
    assert next(searching) == engine.Searching(length=1)
    searching.close() if how == "closed" else local.stop("mine")
    assert list(searching) == []
    assert len(local._line) == 0


def replayed(trace):
    return serving.replay(trace.model, [trace.sample] * 2, limit=2)


def compared(trace):
    return serving.compare(trace.model, trace.sample, limit=2)


@pytest.mark.parametrize("question", [replayed, compared])
def test_steps_of_a_replay_and_of_a_comparison_take_turns_with_writers(local, question, monkeypatch):
    """While somebody else runs none of them is made, and each gives the machine free again."""
    ref = local.trace(engine.Request(model="gpt2_lm", text="the cat"))
    held = []

    def turned(*given):
        held.append(local._running.busy)
        return real(*given)

    module = serving.turns if question is replayed else serving.comparing
    real = module.step
    monkeypatch.setattr(module, "step", turned)
    done = threading.Event()
    asking = threading.Thread(target=lambda: (local.ask(ref, question), done.set()))
    with local._running:
        asking.start()
        assert not done.wait(0.2)
        assert held == []
    assert done.wait(60)
    asking.join(60)
    assert len(held) > 2
    assert set(held) == {True}
    assert not local._running.busy


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
