"""A folder that a visitor brings along where the engine is on several machines, played in this one process."""

import time

import numpy as np
import pytest

import core
from core.engine import LocalEngine, Request, Wanted, cluster, rays
from core.engine.cluster import ClusterEngine
from core.engine.replica import Replica
from core.settings import Settings
from tests.core.answered import Answer
from tests.golden.fixtures import HERE

FAMILIES = (HERE / "families").resolve()
SETTINGS = Settings(engine="ray", device="cpu", upload_mib=4)
FILES = ("config.json", "model.safetensors", "tokenizer.json")


class LostError(Exception):
    """How a replica is lost here."""


class Handle:
    """Two replicas, as Ray Serve leads to them: a key always leads to the same one, as long as that lives."""

    def __init__(self):
        self.replicas = [Replica(SETTINGS, b"salt") for _ in range(2)]
        self.asked, self.dies_before = [], ""

    def options(self, *, method_name, session_id, stream=False):
        return Way(self, method_name, session_id)

    def broadcast(self, method, *given):
        found = [getattr(replica, method)(*given) for replica in self.replicas]
        return Answer(lambda: found)

    def replace_first(self):
        """Let the replica that keys lead to die; another takes its place, and knows nothing."""
        self.replicas[0] = Replica(SETTINGS, b"salt")


class Way:
    def __init__(self, handle, method, key):
        self.handle, self.method, self.key = handle, method, key

    def remote(self, *given):
        self.handle.asked.append((self.method, self.key))
        if self.method == self.handle.dies_before:
            self.handle.dies_before = ""
            self.handle.replace_first()
        made = getattr(self.handle.replicas[0], self.method)(*given)
        return made if self.method in ("write", "searching") else Answer(lambda: made)


@pytest.fixture
def handle(monkeypatch):
    made = Handle()
    monkeypatch.setattr(rays, "joined", lambda _: made)
    monkeypatch.setattr(rays, "lost", lambda: (LostError,))
    monkeypatch.setattr(cluster, "PAUSE", 0)
    return made


@pytest.fixture
def engine(handle):
    assert handle.asked == []
    return ClusterEngine(SETTINGS)


def folder(family="gpt2_lm"):
    return [(name, (FAMILIES / family / name).read_bytes()) for name in FILES]


def patterns(engine, name):
    ref = engine.trace(Request(model=name, text="the cat"))
    return engine.ask(ref, core.analysis.one_map, choice=core.Choice(layer=0, heads=(0,)))


def written(engine, name):
    steps = engine.write(Wanted(model=name, text="the cat", limit=4, stop=()), "me")
    return [step.ident for step in steps if isinstance(step, core.Step)]


def until(true):
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_is_brought_along_gives_the_same_numbers_as_on_one_machine(engine):
    local = LocalEngine(Settings(device="cpu", upload_mib=4))
    here, there = local.take(folder()), engine.take(folder())
    assert np.array_equal(patterns(engine, there), patterns(local, here))
    assert written(engine, there) == written(local, here)


def test_every_request_about_it_goes_to_the_replica_that_its_name_leads_to(engine, handle):
    name = engine.take(folder())
    patterns(engine, name)
    written(engine, name)
    assert {key for method, key in handle.asked if method != "salt"} == {name}
    assert [method for method, _ in handle.asked].count("hold") == 1


@pytest.mark.parametrize("method", ["trace", "ask", "write"])
def test_where_the_replica_dies_another_gets_the_files_and_nobody_notices(engine, handle, method):
    name = engine.take(folder())
    whole = written(engine, name)
    handle.replace_first()
    handle.dies_before = "" if method == "write" else method
    assert patterns(engine, name).shape == (3, 3)
    assert written(engine, name) == whole
    assert [method for method, _ in handle.asked].count("hold") > 1


def test_what_is_given_up_is_gone_everywhere(engine, handle):
    name = engine.take(folder())
    ref = engine.trace(Request(model=name, text="the cat"))
    engine.give_up(name)
    assert engine.gone(name)
    until(lambda: not any(replica.holds(name) for replica in handle.replicas))
    until(lambda: engine.ref(ref.key) is None)
    with pytest.raises(core.CoreError) as caught:
        engine.trace(Request(model=name, text="the cat"))
    assert caught.value.key == "unknown_model"


def test_what_is_held_is_weighed_here_and_by_every_replica(engine, handle):
    name = engine.take(folder())
    ref = engine.trace(Request(model="minilm", text="the cat"))
    once = handle.replicas[0].weigh((ref.key,))[ref.key]
    handle.replicas[1].trace(ref.request)
    files = sum(len(content) for _, content in folder())
    assert engine.weigh({name, ref.key}) == {name: 2 * files, ref.key: 2 * once}


def test_a_folder_that_does_not_open_is_refused_and_leaves_nothing(engine, handle):
    broken = [("config.json", b"{}"), *folder()[1:]]
    with pytest.raises(core.CoreError) as caught:
        engine.take(broken)
    assert caught.value.key not in {"ray_lost", "unknown_model"}
    until(lambda: not handle.replicas[0]._engine._uploads._held)
    assert not engine._uploads._held


def test_a_server_that_takes_none_says_so(handle):
    with pytest.raises(core.CoreError) as caught:
        ClusterEngine(Settings(engine="ray", device="cpu")).take(folder())
    assert caught.value.key == "upload_off"
    assert [method for method, _ in handle.asked] == ["salt"]
