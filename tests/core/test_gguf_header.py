"""A GGUF header is believed only as far as the file reaches: nothing it says makes us allocate, loop or crash."""

import random
import resource
import struct
import time

import pytest
from gguf import GGUFWriter

import core
from core.weights import GgufFile


def text(value):
    return struct.pack("<Q", len(value)) + value


def header(*, tensors=0, keys=0, rest=b"", version=3, magic=b"GGUF"):
    return magic + struct.pack("<IQQ", version, tensors, keys) + rest


def one_tensor(*, axes=(4,), count=None, kind=0, offset=0):
    sizes = b"".join(struct.pack("<Q", axis) for axis in axes)
    return (
        text(b"one")
        + struct.pack("<I", len(axes) if count is None else count)
        + sizes
        + struct.pack("<IQ", kind, offset)
    )


HUGE = 2**63 - 1
HOSTILE = {
    "empty": b"",
    "another file": b"PK\x03\x04" + bytes(60),
    "cut in the counts": header()[:12],
    "a version to come": header(version=77),
    "the other byte order": b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
    "more tensors than bytes": header(tensors=HUGE),
    "more keys than bytes": header(keys=HUGE),
    "a key that never ends": header(keys=1, rest=struct.pack("<Q", HUGE) + bytes(40)),
    "a text that never ends": header(keys=1, rest=text(b"a") + struct.pack("<IQ", 8, HUGE) + bytes(40)),
    "numbers that never end": header(keys=1, rest=text(b"a") + struct.pack("<IIQ", 9, 4, HUGE) + bytes(40)),
    "texts that never end": header(keys=1, rest=text(b"a") + struct.pack("<IIQ", 9, 8, HUGE) + bytes(40)),
    "arrays in arrays": header(keys=1, rest=text(b"a") + struct.pack("<IIQ", 9, 9, 1) * 400),
    "a kind of value to come": header(keys=1, rest=text(b"a") + struct.pack("<I", 99) + bytes(40)),
    "bytes that are no text": header(keys=1, rest=text(b"\xff\xfe") + struct.pack("<II", 4, 1)),
    "a key twice": header(keys=2, rest=(text(b"a") + struct.pack("<II", 4, 1)) * 2),
    "a part of several files": header(keys=1, rest=text(b"split.count") + struct.pack("<IH", 2, 3)),
    "no alignment": header(keys=1, rest=text(b"general.alignment") + struct.pack("<II", 4, 0)),
    "a tensor past the end": header(tensors=1, rest=one_tensor(offset=1 << 40) + bytes(64)),
    "a tensor longer than the file": header(tensors=1, rest=one_tensor(axes=(1 << 40,)) + bytes(64)),
    "sizes that overflow": header(tensors=1, rest=one_tensor(axes=(1 << 32, 1 << 32)) + bytes(64)),
    "many axes": header(tensors=1, rest=one_tensor(count=1 << 30) + bytes(64)),
    "no axes": header(tensors=1, rest=one_tensor(axes=()) + bytes(64)),
    "no numbers": header(tensors=1, rest=one_tensor(axes=(0, 4)) + bytes(64)),
    "a broken block": header(tensors=1, rest=one_tensor(axes=(33,), kind=2) + bytes(64)),
    "a kind of block to come": header(tensors=1, rest=one_tensor(kind=4000) + bytes(64)),
    "a kind that nobody undoes": header(tensors=1, rest=one_tensor(axes=(1,), kind=28) + bytes(64)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_refused_at_once_and_for_a_reason(name, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(HOSTILE[name])
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    with pytest.raises(core.CoreError) as caught:
        GgufFile(path)
    assert caught.value.key.startswith("weights_")
    assert "model.gguf" in str(caught.value)
    assert time.perf_counter() - began < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def small(path):
    writer = GGUFWriter(path, "llama")
    for add in (writer.add_context_length, writer.add_embedding_length, writer.add_feed_forward_length):
        add(32)
    writer.add_block_count(1)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "a", "b", "ab"])
    writer.add_token_scores([0.0, -1.0, -1.0, 0.0])
    writer.add_token_types([2, 1, 1, 1])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def test_a_file_cut_anywhere_is_refused(tmp_path):
    whole = small(tmp_path / "model.gguf")
    for end in range(0, len(whole) - 32, 3):
        (tmp_path / "model.gguf").write_bytes(whole[:end])
        with pytest.raises(core.CoreError):
            GgufFile(tmp_path / "model.gguf")


def test_damage_anywhere_is_an_error_with_a_message(tmp_path):
    whole, chance = small(tmp_path / "model.gguf"), random.Random(11)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(4, len(damaged))] = chance.choice((0, 1, 9, 127, 255))
        (tmp_path / "model.gguf").write_bytes(damaged)
        with pytest.raises(core.CoreError) as caught:
            core.open_model(tmp_path)
        assert str(caught.value)
