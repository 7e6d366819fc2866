"""Uploads in the engine: which files are taken, who can open them, and that nothing of them stays."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest

import core
from core.engine import LocalEngine, Request
from core.engine.uploads import Uploads
from core.settings import Settings, from_environment
from tests.core.changed import FAMILIES
from tests.house.source import ROOT

ANY = [("config.json", b"{}")]


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def files(family="bert_mlm", names=("config.json", "model.safetensors", "tokenizer.json")):
    return [(name, (FAMILIES / family / name).read_bytes()) for name in names]


def left(place):
    return [path for path in place.rglob("*") if path.is_file()]


def refused(files, limit=1 << 20):
    with pytest.raises(core.CoreError) as caught:
        Uploads(limit).keep(files)
    assert all(
        core.words.say(language, f"errors.{caught.value.key}", **caught.value.values) for language in ("en", "zh")
    )
    return caught.value


NAMES = [
    "../../x.safetensors",
    "a/config.json",
    "a\\config.json",
    "..",
    ".",
    "",
    ".json",
    ".hidden.json",
    "/etc/x.json",
]
NAMES += ["a\0.json", "a\n.json", "\ud800.json", "x" * 300 + ".json", "C:config.json", "-rf.json", "~x.json", " x.json"]


@pytest.mark.parametrize("name", NAMES)
def test_only_plain_names_are_taken(place, name):
    """H89: an upload cannot name a place."""
    assert refused([(name, b"{}")]).key == "upload_name"
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "modeling.py", "x.json.exe", "x", "x.pkl", "x.JSON"])
def test_only_four_kinds_of_files_are_taken(place, name):
    assert refused([*ANY, (name, b"x")]).values == {"name": name, "allowed": ".json, .txt, .safetensors, .gguf"}
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("again", ["a.json", "A.json"])
def test_a_name_comes_once(again):
    assert refused([("a.json", b"1"), (again, b"2")]).key == "upload_twice"


def test_sizes_are_counted_together_before_anything_is_written(place):
    half = bytes(600 << 10)
    assert refused([("a.json", half), ("b.json", half)]).values == {
        "came": 2,
        "allowed": 1,
        "name": "HEADS_UP_UPLOAD_MIB",
    }
    assert list(place.iterdir()) == []
    assert Uploads(1 << 20).keep([("a.json", half)])


def test_a_disk_that_does_not_take_it_is_told(place, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert refused(ANY).key == "upload_disk"
    assert left(place) == []


def test_off_unless_set():
    assert Settings().upload_mib == from_environment({}).upload_mib == 0
    assert from_environment({"HEADS_UP_UPLOAD_MIB": "300"}).upload_bytes == 300 << 20
    with pytest.raises(core.CoreError, match="HEADS_UP_UPLOAD_MIB"):
        from_environment({"HEADS_UP_UPLOAD_MIB": "300 MB"})
    assert refused(ANY, limit=0).key == "upload_off"


def test_an_upload_says_what_the_folder_says(place):
    engine = LocalEngine(Settings(device="cpu", upload_mib=4))
    name = engine.take(files())
    there, here = engine.report(name), core.open_model(FAMILIES / "bert_mlm", device="cpu").report
    assert (there.parameters, there.tensors_read, there.checksum) == (here.parameters, here.tensors_read, here.checksum)
    assert str(place) not in there.name


@pytest.mark.usefixtures("place")
def test_what_is_held_is_weighed_by_its_key_or_name():
    """A trace that was dropped, an upload that is given up and a key that nobody knows are left out."""
    engine = LocalEngine(Settings(device="cpu", upload_mib=4))
    name = engine.take(files())
    first, second = (engine.trace(Request(model="minilm", text=text)) for text in ("one", "two"))
    engine.free(second)
    held = engine.weigh([name, first.key, second.key, "guessed"])
    assert held == {
        name: sum(len(content) for _, content in files()),
        first.key: engine.vitals().stores["traces"].bytes,
    }
    engine.give_up(name)
    assert set(engine.weigh([name, first.key])) == {first.key}


def test_models_root_and_uploads_do_not_meet(place):
    root = place / "root"
    root.mkdir()
    engine = LocalEngine(Settings(device="cpu", upload_mib=4, models_root=root))
    assert engine.report(engine.take(files())).spec.family == "bert"
    for name in ("bert_mlm", str(FAMILIES / "bert_mlm"), *(path.name for path in place.iterdir())):
        with pytest.raises(core.CoreError) as caught:
            engine.report(name)
        assert caught.value.key == "unknown_model"


@pytest.mark.parametrize("content", [b"", b"\xff" * 64, (1 << 62).to_bytes(8, "little") + b"{}"])
def test_a_hostile_upload_leaves_nothing_and_others_notice_nothing(place, content):
    engine = LocalEngine(Settings(device="cpu", upload_mib=4))
    mine = engine.take(files())
    given = dict(files()) | {"model.safetensors": content}
    with pytest.raises(core.CoreError) as caught:
        engine.take([*given.items()])
    assert str(place) not in str(caught.value)
    assert len(left(place)) == 3
    assert engine.trace(Request(model=mine, text="the cat")).length == 4


def test_many_visits_at_once_hold_apart_what_they_bring(place):
    engine = LocalEngine(Settings(device="cpu", upload_mib=4))
    families = ["bert_mlm", "llama_lm"] * 4

    def visit(family):
        name = engine.take(files(family))
        ref = engine.trace(Request(model=name, text="the cat"))
        kind = engine.report(name).spec.family
        engine.give_up(name)
        return name, ref, kind

    with ThreadPoolExecutor(4) as visits:
        found = [*visits.map(visit, families)]
    assert [kind for _, _, kind in found] == ["bert", "llama"] * 4
    assert len({name for name, _, _ in found}) == 8
    assert left(place) == []
    for name, ref, _ in found:
        assert engine.ref(ref.key) is None
        with pytest.raises(core.CoreError):
            engine.ask(ref, core.analysis.pieces)
        with pytest.raises(core.CoreError):
            engine.report(name)


def test_what_is_given_up_while_it_runs_is_not_kept(place, monkeypatch):
    engine = LocalEngine(Settings(device="cpu", upload_mib=4))
    name = engine.take(files())
    real = engine._make

    def given_up_meanwhile(request):
        found = real(request)
        engine.give_up(name)
        return found

    monkeypatch.setattr(engine, "_make", given_up_meanwhile)
    ref = engine.trace(Request(model=name, text="the cat"))
    assert engine.ref(ref.key) is None
    assert (len(engine._traces), len(engine._models), left(place)) == (0, 0, [])


def test_nothing_stays_when_the_process_ends(place):
    script = "from core.engine.uploads import Uploads; u = Uploads(99); u.keep([('config.json', b'{}')])"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(place)})
    assert list(place.iterdir()) == []
