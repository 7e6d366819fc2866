"""How long mixers take: every position is read both ways, on equal ground, and the middle of three runs is told."""

import pytest
import torch

import core
from core.analysis import timing
from core.mixers import MIXERS, mixer

CAUSAL = [kind.name for kind in MIXERS if kind.name not in {"around", "everyone"}]


@pytest.mark.parametrize("name", [kind.name for kind in MIXERS])
def test_times_are_told_for_both_ways_where_there_are_two(name, monkeypatch):
    monkeypatch.setattr(timing, "TIMES", 1)
    found = timing.timed(name)
    assert found.together > 0
    assert (found.apart is None) == (name not in CAUSAL)
    assert found.apart is None or found.apart > 0


@pytest.mark.parametrize("name", CAUSAL)
@pytest.mark.parametrize("size", [1, timing.LENGTH])
def test_every_position_is_read_once_and_in_order(name, size):
    """What a mixer is given, put together again, is the whole text, each piece at its own positions."""
    part, given, places = mixer(name, timing.WIDTH), [], []
    part.register_forward_pre_hook(lambda _, seen: (given.append(seen[0]), places.append(seen[1].positions), None)[-1])
    with torch.no_grad():
        timing._step(part, size)
    assert {one.shape[1] for one in given} == {size}
    assert torch.equal(torch.cat(given, 1), timing.drawn(1, timing.LENGTH, timing.WIDTH, seed=0))
    assert torch.cat(places, 1).tolist() == [list(range(timing.LENGTH))]


def test_the_middle_of_three_is_told(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 11.0, 20.0, 22.0])
    monkeypatch.setattr(timing, "perf_counter", lambda: next(clock))
    assert timing._median(lambda: None) == 2.0


def test_an_unknown_mixer_is_refused():
    with pytest.raises(core.CoreError) as refused:
        timing.timed("elephant")
    assert refused.value.key == "config_value"
