"""Weights in several files: the index decides, and what is missing is named; pickled weights are never read."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

import core
from tests.core.changed import EIGHT, FAMILIES

INDEX = "model.safetensors.index.json"
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


@pytest.fixture
def folder(tmp_path):
    """The fixture, its tensors in two files."""
    folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "bert")
    tensors = load_file(folder / "model.safetensors")
    where = {name: SHARDS[number % 2] for number, name in enumerate(tensors)}
    for shard in SHARDS:
        save_file({name: tensors[name] for name in tensors if where[name] == shard}, folder / shard)
    (folder / INDEX).write_text(json.dumps({"weight_map": where}))
    (folder / "model.safetensors").unlink()
    return folder


def refusal(folder):
    with pytest.raises(core.CoreError) as caught:
        core.open_model(folder)
    assert str(folder) not in str(caught.value)
    return caught.value


def final(folder):
    return torch.from_numpy(core.trace(core.open_model(folder), EIGHT).final)


def test_two_files_are_one_model(folder):
    report = core.open_model(folder).report
    assert report.tensors_read == len(json.loads((folder / INDEX).read_text())["weight_map"])
    assert torch.equal(final(folder), final(FAMILIES / "bert_mlm"))


def test_a_missing_file_is_named(folder):
    (folder / SHARDS[1]).unlink()
    error = refusal(folder)
    assert (error.key, error.values["name"]) == ("shard_missing", SHARDS[1])


def test_a_stray_whole_file_and_strays_inside_a_shard_are_not_read(folder):
    tensors = load_file(folder / SHARDS[0])
    stray = next(iter(load_file(folder / SHARDS[1])))
    save_file({**tensors, stray: torch.full((3,), 9.0)}, folder / SHARDS[0])
    save_file({name: tensor * 0 for name, tensor in tensors.items()}, folder / "model.safetensors")
    assert torch.equal(final(folder), final(FAMILIES / "bert_mlm"))


def test_a_shard_without_what_the_index_says(folder):
    index = json.loads((folder / INDEX).read_text())
    index["weight_map"]["nothing"] = SHARDS[0]
    (folder / INDEX).write_text(json.dumps(index))
    assert refusal(folder).values == {"name": "nothing", "file": SHARDS[0]}


@pytest.mark.parametrize("name", ["../x.safetensors", "/etc/x.safetensors", 5, None])
def test_an_index_names_plain_files_only(folder, name):
    (folder / INDEX).write_text(json.dumps({"weight_map": {"a": name}}))
    assert refusal(folder).key == "index_unreadable"


@pytest.mark.parametrize("name", ["pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5"])
def test_pickled_weights_are_refused_with_how_to_convert(tmp_path, name):
    folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "bert")
    (folder / "model.safetensors").rename(folder / name)
    error = refusal(folder)
    assert (error.key, error.values) == ("weights_pickled", {"name": name})
    assert "safe_serialization" in str(error)
