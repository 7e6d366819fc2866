"""Headers that lie are refused before anything is made of what they say, and nobody else notices."""

import json
import shutil
import tracemalloc

import pytest
import torch

import core
from core.catalog import opening
from core.engine import LocalEngine, Request
from core.settings import Settings
from tests.core.changed import FAMILIES

WHOLE = (FAMILIES / "bert_mlm" / "model.safetensors").read_bytes()
LENGTH = int.from_bytes(WHOLE[:8], "little")
HEAD, DATA = json.loads(WHOLE[8 : 8 + LENGTH]), WHOLE[8 + LENGTH :]
ONE, OTHER = [name for name in HEAD if name != "__metadata__"][:2]
BEGIN, END = HEAD[ONE]["data_offsets"]


def file(header):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(header).to_bytes(8, "little") + header + DATA


def altered(name, **entry):
    return file({**HEAD, name: {**HEAD[name], **entry}})


def doubled(entry):
    return file((json.dumps(HEAD)[:-1] + ", " + json.dumps({ONE: entry})[1:]).encode())


HOSTILE = {
    "a header of 4 EiB": (1 << 62).to_bytes(8, "little") + b"{}" + DATA,
    "the longest length": b"\xff" * 8 + DATA,
    "an end far beyond": altered(ONE, data_offsets=[0, 1 << 60]),
    "an end of 5000 digits": file(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,' + b"9" * 5000 + b"]}}"),
    "two tensors in one place": altered(OTHER, data_offsets=HEAD[ONE]["data_offsets"]),
    "a hole between tensors": altered(OTHER, data_offsets=[END + 4, HEAD[OTHER]["data_offsets"][1]]),
    "backwards": altered(ONE, data_offsets=[END, BEGIN]),
    "a negative offset": altered(ONE, data_offsets=[-4, END]),
    "a negative axis": altered(ONE, shape=[-1, 4]),
    "an axis of a half": altered(ONE, shape=[1.5]),
    "axes whose product overflows": altered(ONE, shape=[1 << 40, 1 << 40]),
    "an unknown kind": altered(ONE, dtype="X9"),
    "a name twice, the same": doubled(HEAD[ONE]),
    "a name twice, another": doubled({**HEAD[ONE], "dtype": "F16"}),
    "a name of 900 kB": file({**HEAD, "x" * 900_000: {"dtype": "F32", "shape": [0], "data_offsets": [len(DATA)] * 2}}),
    "an entry that is none": file({ONE: None}),
    "lists in lists": file(b"[" * 50_000),
    "no number": file(b'{"a": NaN}'),
    "no text": file(b'{"\xff": 1}'),
    "nothing said of the bytes": file({}),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_header_that_lies_is_refused_before_anything_is_allocated(tmp_path, content):
    folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "m")
    (folder / "model.safetensors").write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(core.CoreError) as caught:
            core.open_model(folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.key in ("weights_truncated", "weights_unreadable")
    assert peak < 16 << 20
    for language in ("en", "zh"):
        said = core.words.say(language, f"errors.{caught.value.key}", **caught.value.values)
        assert "model.safetensors" in said
        assert str(tmp_path) not in said
        assert len(said) < 1000


def test_others_notice_nothing(tmp_path):
    """One engine, one model in use: hostile folders come and go, its trace stays and its numbers stay."""
    shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "good")
    for number, content in enumerate(HOSTILE.values()):
        folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / f"bad{number}")
        (folder / "model.safetensors").write_bytes(content)
    engine = LocalEngine(Settings(device="cpu", models_root=tmp_path.resolve()))
    request = Request(model="good", text="the cat")
    ref = engine.trace(request)
    choice = core.Choice(side="encoder", layer=0, heads=(0,), query=1, key=1)
    before = engine.ask(ref, core.analysis.one_map, choice=choice, units="pieces", special="show")
    for number in range(len(HOSTILE)):
        with pytest.raises(core.CoreError):
            engine.report(f"bad{number}")
    engine.free(ref)
    again = engine.ask(engine.trace(request), core.analysis.one_map, choice=choice, units="words", special="show")
    assert torch.equal(torch.from_numpy(before), torch.from_numpy(again))


def test_a_model_that_does_not_fit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """A config of 20 GB and a file of 200 kB: the estimate comes from the config alone."""
    folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "m")
    config = json.loads((folder / "config.json").read_text()) | {"vocab_size": 100_000_000}
    (folder / "config.json").write_text(json.dumps(config))
    monkeypatch.setattr(opening, "fill", None)
    with pytest.raises(core.CoreError) as caught:
        core.open_model(folder, settings=Settings(device="cpu"))
    assert caught.value.key == "too_big"
    assert caught.value.values["came"] > 15_000
    assert caught.value.values["allowed"] <= 4096
