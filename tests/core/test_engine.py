"""The engine: one load for many askers, bounded stores, and traces that come back unnoticed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

import core
from core.engine import LocalEngine, Request
from core.engine import engine as engine_module
from core.engine.store import SMALL, Store, hold
from core.settings import Settings
from tests.golden.fixtures import HERE

SENTENCE = "The animal didn't cross the street because it was too tired."


@dataclass
class Weight:
    bytes: int


@pytest.fixture(scope="module")
def engine():
    return LocalEngine(Settings())


def pattern(trace, layer, head):
    return trace.pattern(layer, head)


def test_a_question_is_answered_where_the_trace_lives(engine):
    ref = engine.trace(Request(model="minilm", text=SENTENCE))
    assert ref.length == 16
    assert ref.sides == ("encoder",)
    best = engine.ask(ref, core.analysis.senders, query=10, key=2, best=1)[0]
    assert (best.layer, best.head) == (3, 1)
    assert best.share == pytest.approx(0.677, abs=5e-4)


def test_the_same_request_is_the_same_trace(engine):
    first = engine.trace(Request(model="minilm", text=SENTENCE))
    assert engine.trace(Request(model="minilm", text=SENTENCE)) == first
    assert engine.trace(Request(model="minilm", text=SENTENCE, pair="Why?")).key != first.key


def test_keys_differ_between_engines_so_that_none_can_be_guessed():
    request = Request(model="minilm", text=SENTENCE)
    assert LocalEngine()._key(request) != LocalEngine()._key(request)


def test_a_dropped_trace_is_recomputed_unnoticed(engine):
    ref = engine.trace(Request(model="minilm", text="A sentence that is dropped."))
    before = engine.ask(ref, pattern, layer=2, head=5)
    engine.free(ref)
    np.testing.assert_array_equal(engine.ask(ref, pattern, layer=2, head=5), before)


def test_traces_stay_within_their_bytes():
    small = LocalEngine(Settings(trace_mib=1))
    refs = [small.trace(Request(model="minilm", text=f"{SENTENCE} {number}")) for number in range(8)]
    assert small._traces.bytes <= small.settings.trace_bytes
    assert len(small._traces) < len(refs)
    assert small.ask(refs[0], pattern, layer=0, head=0).shape == (refs[0].length,) * 2


def test_too_long_for_this_server_says_how_long_and_what_is_allowed():
    with pytest.raises(core.CoreError) as caught:
        LocalEngine(Settings(max_pieces=8)).trace(Request(model="minilm", text=SENTENCE))
    assert (caught.value.key, caught.value.values) == ("too_long", {"came": 16, "allowed": 8})


def test_an_error_leaves_nothing_behind(engine):
    """H80: what a refused run held is gone."""
    held = len(engine._traces)
    for text in ("word " * 600, ""):
        with pytest.raises(core.CoreError):
            engine.trace(Request(model="smollm2" if not text else "minilm", text=text))
    assert len(engine._traces) == held


def test_many_askers_load_a_model_once(monkeypatch):
    loads, real = [], engine_module.open_model

    def counted(name, **rest):
        loads.append(name)
        return real(name, **rest)

    monkeypatch.setattr(engine_module, "open_model", counted)
    cold = LocalEngine()
    with ThreadPoolExecutor(5) as pool:
        refs = list(pool.map(lambda n: cold.trace(Request(model="minilm", text=f"Visitor {n}")), range(5)))
    assert loads == ["minilm"]
    assert len({ref.key for ref in refs}) == 5


def test_a_store_makes_a_thing_once_and_keeps_what_is_in_use():
    store, made, gate = Store(limit=10), [], threading.Event()

    def make():
        made.append(1)
        return Weight(8)

    def hold():
        with store.use("held", make):
            gate.wait(5)

    holder = threading.Thread(target=hold)
    holder.start()
    with store.use("other", lambda: Weight(8)), store.use("held", make):
        assert len(made) == 1
        assert len(store) == 2
    gate.set()
    holder.join()
    assert store.bytes <= 10


def test_what_grows_while_it_is_used_is_counted_when_its_user_leaves():
    store, thing = Store(limit=10), Weight(4)
    with store.use("other", lambda: Weight(5)):
        pass
    with store.use("grows", lambda: thing):
        thing.bytes = 7
    assert (store.bytes, len(store)) == (7, 1)
    store.drop("grows")
    store.drop("grows")
    assert (store.bytes, len(store)) == (0, 0)


def test_what_is_dropped_while_it_is_used_is_counted_no_more():
    store = Store(limit=10)
    with store.use("a", lambda: Weight(4)):
        store.drop_all(lambda key: key == "a")
    assert store.bytes == 0


def test_using_one_thing_asks_none_of_the_others_what_they_weigh():
    asked = []

    class Asked:
        @property
        def bytes(self):
            asked.append(self)
            return 1

    store = Store(limit=1000)
    for number in range(100):
        with store.use(number, Asked):
            pass
    asked.clear()
    with store.use(7, Asked):
        pass
    assert len(asked) == 1


def test_a_failed_making_is_forgotten_and_tried_again():
    store = Store(limit=10)

    def fail():
        raise core.CoreError("no_pieces", came=0)

    with pytest.raises(core.CoreError), store.use("x", fail):
        pass
    assert len(store) == 0
    with store.use("x", lambda: Weight(1)) as thing:
        assert thing.bytes == 1


def test_an_answer_is_kept_and_dropped_answers_come_back(engine):
    ref = engine.trace(Request(model="minilm", text="Asked twice."))
    asked = []

    def counted(trace, number):
        asked.append(number)
        return trace.pattern(0, number)

    first = engine.ask(ref, counted, number=1)
    assert engine.ask(ref, counted, number=1) is first
    engine.ask(ref, counted, number=2)
    assert asked == [1, 2]


def test_visitors_reach_no_folder_without_a_models_root(tmp_path):
    for name in (str(tmp_path), "../../etc", "/etc"):
        with pytest.raises(core.CoreError) as caught:
            LocalEngine(Settings()).trace(Request(model=name, text="Hello"))
        assert caught.value.key == "unknown_model"


def test_a_text_of_very_many_characters_is_refused_before_it_is_split():
    with pytest.raises(core.CoreError) as caught:
        LocalEngine(Settings(max_characters=100)).trace(Request(model="minilm", text="a" * 60, pair="b" * 60))
    assert (caught.value.key, caught.value.values) == ("too_many_characters", {"came": 120, "allowed": 100})


def test_reading_runs_nothing_and_says_what_a_model_would_be_given(engine, monkeypatch):
    monkeypatch.setattr(engine_module, "trace", None)
    sample = engine.read(Request(model="minilm", text="a zebra crossed"))
    assert sample.labels[1:-1] == ("a", "zebra", "crossed")


def test_a_request_for_a_snapshot_opens_that_one(monkeypatch):
    opened = []

    def open_one(name, *, step, settings):
        opened.append((name, step))
        return core.open_model(name, settings=settings)

    monkeypatch.setattr(engine_module, "open_model", open_one)
    engine = LocalEngine()
    keys = {engine.trace(Request(model="minilm", text="a", step=step)).key for step in (None, 0, 300, 0)}
    assert len(keys) == 3
    assert opened == [("minilm", None), ("minilm", 0), ("minilm", 300)]


@pytest.mark.parametrize("name", ["t5_relu_tied", "bart_lm"])
def test_an_altered_run_reads_the_untouched_answer_and_writes_its_own_where_that_is_wanted(name):
    engine = LocalEngine(Settings(models_root=HERE / "families"))
    scaled = (core.changes.Scale(value=9.0),)
    asked = Request(model=name, text="The cat sat.", changes=scaled)
    untouched, beside, own = (
        engine.ask(engine.trace(one), answer) for one in (replace(asked, changes=()), asked, replace(asked, own=True))
    )
    assert beside == untouched
    with engine._opened(name) as model:
        assert own == core.trace(model, engine.read(asked), scaled).sample.target.ids.tolist()
    assert own != untouched


def test_own_is_another_run_only_where_something_is_altered(engine):
    asked = Request(model="minilm", text=SENTENCE)
    assert engine.trace(replace(asked, own=True)).key == engine.trace(asked).key
    altered = replace(asked, changes=(core.changes.NoMask(),))
    assert engine._key(replace(altered, own=True)) != engine._key(altered)


def answer(trace):
    return trace.sample.target.ids.tolist()


@dataclass(frozen=True)
class Nested:
    own: np.ndarray
    deep: object


def test_an_answer_costs_what_all_its_arrays_cost_however_deep_they_lie():
    some, other = np.zeros(100, np.float32), torch.zeros(50)
    deep = Nested(some, ({"a": other, "b": [Nested(some, None)]}, "text", 3))
    assert hold(deep).bytes == SMALL + 400 + 200
    assert hold(some).bytes == SMALL + 400
    assert hold((1, "a")).bytes == SMALL


def test_an_explained_cell_is_counted_with_every_stage(engine):
    ref = engine.trace(Request(model="minilm", text=SENTENCE))
    told = engine.ask(ref, core.analysis.explain, layer=3, head=1, query=10, key=2)
    assert hold(told).bytes > SMALL + sum(stage.values.nbytes for stage in told.stages)
