"""`python -m core check`: every law is measured, and a broken one is told."""

import pytest

from core import __main__ as command
from core import read
from core.analysis import checking
from core.mixers import softmax

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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_reports_and_ends_with_0(capsys, language):
    assert command.main(["check", "minilm", "--language", language]) == 0
    out = capsys.readouterr().out
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in out
    assert "pooler.dense.weight" in out


def test_a_model_that_is_not_there_ends_with_1_and_a_message(capsys):
    assert command.main(["check", "no-such-model"]) == 1
    assert "no-such-model" in capsys.readouterr().out
