"""`python -m core check`: every law is measured, and a broken one is told."""

import shutil

import pytest
from safetensors.torch import load_file, save_file

import core
from core import __main__ as command
from core import read
from core.analysis import checking
from core.mixers import softmax
from core.settings import Settings
from tests.core.changed import FAMILIES

TEXT = "The animal didn't cross the street because it was too tired."


def test_every_law_holds_for_both_packaged_models(minilm, smollm2):
    for model, laws in ((minilm, 3), (smollm2, 4)):
        found = checking.check(model, read(model, TEXT))
        assert len(found) == laws
        assert all(law.holds for law in found), found


def test_a_scale_that_only_the_fused_path_gets_wrong_is_told(minilm, monkeypatch):
    real = softmax.scaled_dot_product_attention

    def wrong(*given, scale, **rest):
        return real(*given, scale=scale * 1.01, **rest)

    monkeypatch.setattr(softmax, "scaled_dot_product_attention", wrong)
    found = {law.key: law for law in checking.check(minilm, read(minilm, TEXT))}
    assert not found["fused"].holds
    assert found["rows"].holds


def test_a_rule_that_the_plain_path_forgets_is_told(smollm2, monkeypatch):
    trace = checking.trace(smollm2, read(smollm2, "Who looks ahead?"))
    assert checking.masked_share(trace) == 0
    monkeypatch.setattr(checking, "pattern", lambda layer, rows: softmax.pattern(layer, rows) + 0.01)
    assert checking.masked_share(trace) == pytest.approx(0.01, abs=1e-6)
    assert checking.rows_sum_to_one(trace) > 1e-3


def test_memory_is_told_before_anything_is_loaded(capsys, monkeypatch, tmp_path):
    folder = shutil.copytree(FAMILIES / "bert_mlm", tmp_path / "bert")
    file = folder / "model.safetensors"
    save_file({name: part.bfloat16() for name, part in load_file(file).items()}, file)
    needed = core.needed(str(folder), Settings())
    assert needed == core.open_model(folder).bytes > 1.5 * file.stat().st_size
    monkeypatch.setattr(command, "open_model", refuse)
    assert command.main(["check", str(folder)]) == 1
    assert f"{needed / 2**20:.1f} MiB" in capsys.readouterr().out.splitlines()[0]


def refuse(_):
    raise core.CoreError("no_weights", name="", allowed="")


def test_both_encoders_of_a_clip_are_checked_on_as_much_as_they_take(capsys):
    folder = str(FAMILIES / "clip_both")
    assert command.main(["check", folder]) == 0
    said = capsys.readouterr().out
    assert said.count(core.words.say("en", "check.law_fused")) == 2
    assert said.count(core.words.say("en", "check.pictures")) == 1
    assert command.main(["check", folder, "--text", TEXT]) == 1
    assert "24" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("folder", sorted(path for path in FAMILIES.iterdir()), ids=lambda path: path.name)
def test_what_is_told_is_what_it_takes(folder):
    assert core.needed(str(folder), Settings()) == core.open_model(folder).bytes


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_what_the_catalogue_says_of_a_model_is_what_was_opened(request, name):
    model = request.getfixturevalue(name)
    entry = next(entry for entry in core.catalog() if entry.name == name)
    assert entry.parameters == model.report.parameters
    assert core.needed(name, Settings()) == model.bytes
    assert (entry.kind, entry.pair) == (model.spec.kind, model.reader.pairs)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_reports_and_ends_with_0(capsys, language):
    assert command.main(["check", "minilm", "--language", language]) == 0
    out = capsys.readouterr().out
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in out
    assert "pooler.dense.weight" in out


def test_a_model_that_is_not_there_ends_with_1_and_a_message(capsys):
    assert command.main(["check", "no-such-model"]) == 1
    assert "no-such-model" in capsys.readouterr().out
