"""What the engine of many machines does with its replicas, played with replicas of this process that get lost."""

import subprocess
import sys
from itertools import count

import pytest

import core
from core.engine import LocalEngine, Request, Vitals, Wanted, begin, cluster, rays
from core.engine.cluster import ClusterEngine
from core.engine.replica import Question, Raised, Replica
from core.engine.tally import summed
from core.settings import Settings, from_environment
from tests.core.answered import Answer
from tests.golden.fixtures import HERE
from tests.house.source import ROOT

SENTENCE = "The animal didn't cross the street because it was too tired."
FAMILIES = (HERE / "families").resolve()
SETTINGS = Settings(engine="ray", device="cpu", models_root=FAMILIES)


class LostError(Exception):
    """How a replica is lost here."""


class Replicas:
    """A handle as Ray Serve gives it: one replica by turns, of which those named by number are lost on the way."""

    def __init__(self, *lost, after=0):
        self.replicas = [Replica(SETTINGS, b"salt") for _ in range(2)]
        self.lost, self.after, self.asked, self.counted = lost, after, [], count()

    def options(self, *, method_name, session_id, stream=False):
        return Way(self, method_name, session_id, stream)

    def broadcast(self, method, *given):
        found = [getattr(replica, method)(*given) for replica in self.replicas]
        return Answer(lambda: found)


class Way:
    def __init__(self, replicas, method, key, stream):
        self.replicas, self.method, self.key, self.stream = replicas, method, key, stream

    def remote(self, *given):
        number = next(self.replicas.counted)
        self.replicas.asked.append((self.method, self.key))
        replica, lost = self.replicas.replicas[number % 2], number in self.replicas.lost
        if self.stream:
            return self.parts(getattr(replica, self.method)(*given), lost)
        return Answer(lambda: self.fail() if lost else getattr(replica, self.method)(*given))

    def parts(self, made, lost):
        for number, part in enumerate(made):
            if lost and number == self.replicas.after:
                self.fail()
            yield part

    def fail(self):
        raise LostError


class Clock:
    """A clock that goes on only when somebody waits."""

    now = 1000.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(cluster, "time", made)
    return made


@pytest.fixture
def engine_of(monkeypatch, clock):  # noqa: ARG001  nobody waits
    def made(*lost, after=0):
        replicas = Replicas(*lost, after=after)
        monkeypatch.setattr(rays, "joined", lambda _: replicas)
        monkeypatch.setattr(rays, "lost", lambda: (LostError,))
        return ClusterEngine(SETTINGS), replicas

    return made


def test_what_was_asked_of_a_lost_replica_is_asked_of_another(engine_of):
    engine, replicas = engine_of(1, 3)  # the first trace, and the first question
    ref = engine.trace(Request(model="minilm", text=SENTENCE))
    best = engine.ask(ref, core.analysis.senders, query=10, key=2, best=1)[0]
    assert (best.layer, best.head) == (3, 1)
    assert [method for method, _ in replicas.asked] == ["salt", "trace", "trace", "ask", "ask"]


def test_every_request_of_a_trace_goes_by_its_key(engine_of):
    engine, replicas = engine_of()
    ref = engine.trace(Request(model="minilm", text=SENTENCE))
    engine.ask(ref, core.analysis.pieces)
    engine.free(ref)
    assert engine.ref("made elsewhere") is None
    assert {key for _, key in replicas.asked[1:-1]} == {ref.key}
    assert replicas.asked[-1] == ("ref", "made elsewhere")


def test_an_answer_that_was_given_is_not_asked_for_again(engine_of):
    engine, replicas = engine_of()
    ref = engine.trace(Request(model="minilm", text=SENTENCE))
    first = engine.ask(ref, core.analysis.pieces)
    assert engine.ask(ref, core.analysis.pieces) is first
    assert [method for method, _ in replicas.asked].count("ask") == 1


def test_it_is_asked_again_until_ray_has_noticed_that_a_replica_is_gone(engine_of, clock):
    """Until then it goes on sending there, where everything is lost at once."""
    engine, _ = engine_of(*range(1, 24))
    assert engine.report("minilm").name == "minilm"
    assert 30 < clock.now - Clock.now < 60
    wanted = Wanted(model="qwen3_lm", text="Once upon a time", limit=5)
    engine, _ = engine_of(*range(1, 24), after=3)
    assert len([step for step in engine.write(wanted, "me") if isinstance(step, core.Step)]) == 5


def test_where_no_replica_answers_for_a_minute_it_says_so(engine_of, clock):
    engine, _ = engine_of(*range(1, 100))
    for asked in (lambda: engine.report("minilm"), lambda: list(engine.write(Wanted(model="minilm", text=""), "me"))):
        began = clock.now
        with pytest.raises(core.CoreError) as caught:
            asked()
        assert caught.value.key == "ray_lost"
        assert 60 <= clock.now - began < 65


def test_what_was_read_of_a_lost_replica_is_not_read_twice(engine_of):
    wanted = Wanted(model="qwen3_lm", text="Once upon a time", limit=5)
    whole = [step.text for step in LocalEngine(SETTINGS).write(wanted, "me") if isinstance(step, core.Step)]
    engine, replicas = engine_of(1, after=3)
    assert [step.text for step in engine.write(wanted, "me") if isinstance(step, core.Step)] == whole
    assert [method for method, _ in replicas.asked] == ["salt", "write", "write"]
    assert engine._writing == {}


def test_a_text_that_is_stopped_ends_where_it_is_written(engine_of):
    engine, replicas = engine_of()
    coming = engine.write(Wanted(model="qwen3_lm", text="Once upon a time", limit=64), "me")
    next(coming)
    engine.stop("me")
    assert list(coming) == []
    assert all(replica.vitals().writing == 0 for replica in replicas.replicas)


def test_a_session_that_begins_another_text_ends_its_first_one_only(engine_of):
    engine, _ = engine_of()
    wanted = Wanted(model="qwen3_lm", text="Once upon a time", limit=4)
    mine, theirs = engine.write(wanted, "me"), engine.write(wanted, "they")
    next(mine), next(theirs)
    assert len(list(engine.write(wanted, "me"))) == 4
    assert list(mine) == []
    assert len(list(theirs)) == 3


def test_what_goes_wrong_over_there_is_raised_here_as_it_was(engine_of):
    engine, _ = engine_of()
    with pytest.raises(core.CoreError) as caught:
        engine.trace(Request(model="nothing", text=SENTENCE))
    assert (caught.value.key, caught.value.values["came"]) == ("unknown_model", "nothing")
    with pytest.raises(core.CoreError) as caught:
        list(engine.write(Wanted(model="minilm", text=SENTENCE), "me"))
    assert caught.value.key == "not_a_writer"


def test_a_replica_raises_nothing_that_would_be_written_down():
    """What an error says may be a visitor's word, and Ray Serve logs what a replica raises."""
    replica = Replica(SETTINGS, b"salt")
    assert isinstance(replica.trace(Request(model="nothing", text=SENTENCE)), Raised)
    assert isinstance(replica.ask(None, Question(module="os", name="system"), {}), Raised)
    *_, last = replica.write(Wanted(model="minilm", text=SENTENCE), "me")
    assert isinstance(last, Raised)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("corelike", "run"),
        ("core.engine.replica", "import_module"),
        ("core.engine.replica", "Replica"),
        ("core.engine.replica", "ROOMS"),
        ("core.analysis", "nothing"),
        ("pages.plumbing.doors", "core.waiting"),
    ],
)
def test_nothing_but_functions_of_this_project_is_found(module, name):
    with pytest.raises(LookupError):
        Question(module=module, name=name).function()


def test_a_question_is_found_by_its_names():
    assert Question.of(core.analysis.pieces).function() is core.analysis.pieces
    with pytest.raises(LookupError):
        Question.of(lambda trace: trace)


def test_engines_with_one_salt_give_the_same_key():
    request = Request(model="minilm", text=SENTENCE)
    assert LocalEngine(salt=b"one")._key(request) == LocalEngine(salt=b"one")._key(request)
    assert LocalEngine(salt=b"one")._key(request) != LocalEngine(salt=b"another")._key(request)


def test_numbers_of_all_replicas_are_added(engine_of):
    engine, replicas = engine_of()
    for number in range(4):
        engine.trace(Request(model="minilm", text=f"{SENTENCE} {number}"))
    with pytest.raises(core.CoreError):
        engine.trace(Request(model="nothing", text=SENTENCE))
    engine._seen = 0.0
    together, alone = engine.vitals(), [replica.vitals() for replica in replicas.replicas]
    assert [one.stores["traces"].things for one in alone] == [2, 2]
    assert together.stores["traces"].things == 4
    assert together.phases["run"].count == together.phases["run"].within[-1] == 4
    assert together.refused == {"unknown_model": 1}
    assert summed([]) == Vitals.none()


def test_the_setting_picks_the_engine(engine_of):
    assert isinstance(begin(Settings()), LocalEngine)
    engine_of()
    assert isinstance(begin(SETTINGS), ClusterEngine)
    assert isinstance(begin(SETTINGS), core.engine.Engine)
    with pytest.raises(core.CoreError) as caught:
        from_environment({"HEADS_UP_ENGINE": "cuda:1"})
    assert caught.value.values["allowed"] == "local, ray"
    with pytest.raises(core.CoreError) as caught:
        begin(Settings(device="cuda:99"))
    assert caught.value.key == "no_device"


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(core.CoreError) as caught:
        begin(SETTINGS)
    assert (caught.value.key, caught.value.values) == ("ray_missing", {"needed": "requirements-ray.txt"})


def test_the_usual_engine_loads_nothing_of_ray():
    program = "import sys, core; core.engine.begin(core.settings.Settings()); sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=120).returncode == 0
