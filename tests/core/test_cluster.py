"""The engine on Ray Serve, with two real replicas on this machine; what needs no Ray is in test_remote.py."""

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib.util import find_spec

import numpy as np
import psutil
import pytest

import core
from core.engine import LocalEngine, Request, Wanted
from core.engine.cluster import ClusterEngine
from core.settings import Settings
from tests.golden.fixtures import HERE

SENTENCE = "The animal didn't cross the street because it was too tired."
FAMILIES = (HERE / "families").resolve()
SMALL = Settings(device="cpu", upload_mib=4, trace_mib=64, answer_mib=16, model_mib=1024, models_root=FAMILIES)
PATIENCE = 120

MISSING = find_spec("ray") is None  # it is loaded once the engine has set what it reads then

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore:.*extra keyword arguments on `Field`:DeprecationWarning"),
    pytest.mark.skipif(MISSING, reason="needs Ray Serve: pip install -r requirements-ray.txt"),
]


@pytest.fixture(scope="module")
def cluster():
    async def begun():
        return ClusterEngine(Settings(**vars(SMALL) | {"engine": "ray", "ray_least": 2, "ray_most": 2}))

    yield asyncio.run(begun())  # as a server of pages begins
    import ray
    from ray import serve

    serve.shutdown()
    ray.shutdown()


@pytest.fixture(scope="module")
def local():
    return LocalEngine(SMALL)


def same(one, other):
    """Whether two answers are the same to the last bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


def replicas():
    """The processes that are replicas now, by the names that Ray knows them by."""
    import ray

    named = ray.util.list_named_actors(all_namespaces=True)
    return {one["name"] for one in named if one["name"].startswith("SERVE_REPLICA::heads-up")}


def kill(name):
    import ray

    ray.kill(ray.get_actor(name, namespace="serve"))


def settled(cluster, lost):
    """Wait until two replicas answer, none of which is a lost one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        now = replicas()
        if len(now) == 2 and not now & lost and len(vitals(cluster)) == 2:
            return now
        time.sleep(0.5)
    raise AssertionError(replicas())


def vitals(cluster):
    return [one for one in cluster._everywhere("vitals") if isinstance(one, core.engine.Vitals)]


def written(engine, session, limit=24):
    wanted = Wanted(model="smollm2", text="Once upon a time", limit=limit)
    return [step for step in engine.write(wanted, session) if isinstance(step, core.Step)]


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        (core.analysis.maps, {}),
        (core.analysis.pieces, {}),
        (core.analysis.one_map, {"choice": core.Choice(layer=3, heads=(1,)), "units": "pieces", "special": "show"}),
        (core.analysis.senders, {"query": 10, "key": 2, "best": 5}),
        (core.analysis.explain, {"layer": 3, "head": 1, "query": 10, "key": 2}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_answers_are_those_of_the_usual_engine_to_the_last_bit(cluster, local, question, arguments):
    request = Request(model="minilm", text=SENTENCE)
    here, there = local.trace(request), cluster.trace(request)
    assert (there.length, there.sides, there.request) == (here.length, here.sides, here.request)
    assert same(cluster.ask(there, question, **arguments), local.ask(here, question, **arguments))


def listening():
    """The address, the process and the number of every port on which this process and those that it started listen."""
    me = psutil.Process()
    for process in (me, *me.children(recursive=True)):
        with suppress(psutil.Error):
            name = process.name()
            for port in process.net_connections("tcp"):
                if port.status == psutil.CONN_LISTEN:
                    yield port.laddr.ip.removeprefix("::ffff:"), name, port.laddr.port


@pytest.mark.usefixtures("cluster")
def test_a_cluster_of_this_machine_alone_listens_on_this_machine():
    """All but one port of each replica, which Ray Serve opens on every address, and closes to who has no token."""
    found = list(listening())
    assert {"gcs_server", "raylet"} <= {name for _, name, _ in found}
    elsewhere = [(name, port) for address, name, port in found if address != "127.0.0.1"]
    assert all(name.startswith("ray::ServeRepli") for name, _ in elsewhere), elsewhere
    assert len(elsewhere) <= len(replicas())
    assert {answered(port) for _, port in elsewhere} == {"UNAUTHENTICATED"}


def answered(port):
    """What a replica says to somebody without a token."""
    import grpc

    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        ask = channel.unary_unary("/ray.serve.ASGIService/HandleRequest")
        with pytest.raises(grpc.RpcError) as caught:
            ask(b"", timeout=30)
    return caught.value.code().name


def test_a_folder_brought_along_outlives_its_replica_and_is_gone_when_given_up(cluster, local):
    names = ("config.json", "model.safetensors", "tokenizer.json")
    folder = [(name, (FAMILIES / "gpt2_lm" / name).read_bytes()) for name in names]
    there, here = cluster.take(folder), local.take(folder)

    def looked(engine, name, text):
        ref = engine.trace(Request(model=name, text=text))
        return engine.ask(ref, core.analysis.one_map, choice=core.Choice(layer=0, heads=(0,)))

    assert same(looked(cluster, there, "the cat"), looked(local, here, "the cat"))
    lost = replicas()
    for name in lost:
        kill(name)
    assert same(looked(cluster, there, "a dog"), looked(local, here, "a dog"))
    settled(cluster, lost)
    assert any(cluster._everywhere("holds", there))
    cluster.give_up(there)
    until = time.monotonic() + PATIENCE
    while any(cluster._everywhere("holds", there)):
        assert time.monotonic() < until
        time.sleep(0.2)


def test_texts_are_written_as_the_usual_engine_writes_them(cluster, local):
    assert same(written(cluster, "me", 6), written(local, "me", 6))


def test_a_search_ends_with_the_same_tree(cluster, local):
    wanted = Wanted(model="translator", text="the small cat sleeps .", limit=6)
    assert same(cluster.search(wanted, beams=2), local.search(wanted, beams=2))


def test_requests_of_one_trace_reach_the_replica_that_has_it(cluster):
    before = sum(one.stores["traces"].made for one in vitals(cluster))
    texts = [f"Sentence number {number} is new." for number in range(16)]
    for ref in [cluster.trace(Request(model="minilm", text=text)) for text in texts] * 2:
        for query in range(1, 4):
            cluster.ask(ref, core.analysis.senders, query=query, key=0, best=1)
    after = vitals(cluster)
    assert sum(one.stores["traces"].made for one in after) - before == len(texts)
    assert all(one.stores["traces"].things > 0 for one in after)


def test_a_ticket_is_found_from_another_server_of_pages(cluster):
    """Two servers of pages behind one address: the map's key that one of them gave out is good at the other."""
    ref = cluster.trace(Request(model="minilm", text="A map that somebody fetches elsewhere."))
    cluster._refs.clear()
    assert cluster.ref(ref.key) == ref
    assert cluster.ref("0" * 32) is None


def test_nobody_gets_what_is_anothers(cluster):
    texts, found = [f"Only visitor {number} wrote this." for number in range(12)], {}

    def visit(text):
        ref = cluster.trace(Request(model="minilm", text=text))
        found[text] = (ref, cluster.ask(ref, core.analysis.pieces), cluster.read(ref.request).text)

    threads = [threading.Thread(target=visit, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({ref.key for ref, *_ in found.values()}) == len(texts)
    for text, (ref, pieces, read) in found.items():
        assert ref.request.text == read == text
        assert text.split()[2] in [piece.surface for piece in pieces]


def test_what_is_refused_there_is_refused_here(cluster):
    with pytest.raises(core.CoreError) as caught:
        cluster.trace(Request(model="../../etc", text=SENTENCE))
    assert (caught.value.key, caught.value.values["came"]) == ("unknown_model", "etc")
    with pytest.raises(core.CoreError) as caught:
        list(cluster.write(Wanted(model="minilm", text=SENTENCE), "me"))
    assert caught.value.key == "not_a_writer"


def test_a_stop_ends_the_work_and_not_anothers(cluster):
    wanted = Wanted(model="smollm2", text="Once upon a time", limit=200)
    mine, theirs = cluster.write(wanted, "me"), cluster.write(wanted, "they")
    next(mine), next(theirs)
    mine.close()
    assert len([next(theirs) for _ in range(5)]) == 5
    theirs.close()
    until = time.monotonic() + PATIENCE
    while any(one.writing for one in vitals(cluster)) and time.monotonic() < until:
        time.sleep(0.2)
    assert [one.writing for one in vitals(cluster)] == [0, 0]


class Visitor(threading.Thread):
    """Somebody who asks again and again about texts whose traces are always gone, and notes every wrong answer."""

    def __init__(self, engine, told):
        super().__init__()
        self.engine, self.told = engine, told
        self.asked, self.wrong, self.leaves = 0, [], threading.Event()

    def run(self):
        while not self.leaves.is_set():
            for ref, senders in self.told:
                self.asked += 1
                self.look(ref, senders)

    def look(self, ref, senders):
        """Ask for one sender more than last time, so that nobody has the answer at hand."""
        try:
            self.engine.free(ref)
            found = self.engine.ask(ref, core.analysis.senders, query=10, key=2, best=self.asked)
        except Exception as error:
            self.wrong.append(error)
        else:
            self.wrong += [] if same(found, senders[: self.asked]) else [ref]


def test_replicas_that_die_under_load_are_replaced_and_nobody_notices(cluster, local):
    requests = [Request(model="minilm", text=f"{number}. {SENTENCE * 20}") for number in range(4)]
    refs = [cluster.trace(request) for request in requests]
    told = [local.ask(local.trace(ref.request), core.analysis.senders, query=10, key=2, best=1000) for ref in refs]
    visitors = [Visitor(cluster, [both]) for both in zip(refs, told, strict=True)]
    for visitor in visitors:
        visitor.start()
    lost = set()
    for name in sorted(replicas()):  # whichever has a trace: both go, one after the other
        kill(name)
        lost.add(name)
        settled(cluster, lost)
        before = [visitor.asked for visitor in visitors]
        while any(visitor.asked < count + 5 for visitor, count in zip(visitors, before, strict=True)):
            time.sleep(0.1)
    for visitor in visitors:
        visitor.leaves.set()
        visitor.join()
    assert [visitor.wrong for visitor in visitors] == [[], [], [], []]
    assert [cluster.trace(request) for request in requests] == refs


def test_a_text_goes_on_when_all_replicas_die_while_it_is_written(cluster, local):
    whole, lost, came = written(local, "me"), replicas(), []
    for step in cluster.write(Wanted(model="smollm2", text="Once upon a time", limit=24), "me"):
        came.append(step)
        if len(came) == 3:
            for name in lost:
                kill(name)
    settled(cluster, lost)
    assert same([step for step in came if isinstance(step, core.Step)], whole)
