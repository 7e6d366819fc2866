"""The load report says everything that is known of a loading, and of what was left out, why."""

from functools import partial

import pytest

import core
from pages.plumbing import tables, words

ITEMS = ("family", "kind", "depth", "heads", "width", "positions", "parameters", "stored", "computed")
ITEMS += ("tensors", "checksum", "seconds", "memory")


@pytest.mark.parametrize("language", core.words.languages())
def test_every_item_is_shown(monkeypatch, minilm, smollm2, language):
    monkeypatch.setattr(words, "t", partial(core.words.say, language))
    for model in (minilm, smollm2):
        shown = tables._told(model.report)
        assert all(shown[item] for item in ITEMS)
        assert {"report." + item for item in shown} <= core.words.catalogue(language).keys()
    heads = tables._told(smollm2.report)["heads"]
    assert all(str(number) in heads for number in (9, 3, 64))
    assert tables._told(minilm.report)["parameters"] == "22,565,376"


@pytest.mark.parametrize("language", core.words.languages())
def test_what_was_left_out_is_named_with_its_reason(monkeypatch, minilm, smollm2, language):
    monkeypatch.setattr(words, "t", partial(core.words.say, language))
    shown = "\n".join(text for _, text in tables._ignored(minilm.report))
    assert minilm.report.ignored
    for name, reason in minilm.report.ignored:
        assert name in shown
        assert core.words.say(language, f"report.ignored_{reason}") in shown
    assert tables._ignored(smollm2.report) == [("ignored", core.words.say(language, "report.nothing"))]
