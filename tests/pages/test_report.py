"""The load report says everything that is known of a loading, and of what was left out, why."""

from functools import partial

import pytest

import core
from pages.plumbing import tables, words
from tests.core.changed import FAMILIES
from tests.pages.visits import shows, texts, visit

ITEMS = ("family", "kind", "depth", "heads", "width", "positions", "parameters", "stored", "computed")
ITEMS += ("tensors", "seconds", "memory")


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


def test_a_report_of_two_encoders_speaks_of_both(monkeypatch):
    monkeypatch.setattr(words, "t", partial(core.words.say, "en"))
    model = core.open_model(FAMILIES / "clip_both")
    shown, pictures = tables._told(model.report), model.pictures.spec
    assert model.report.pictures == pictures != model.spec
    for item, text, picture in (
        ("depth", model.spec.layers, pictures.layers),
        ("width", model.spec.width, pictures.width),
        ("positions", model.spec.positions, pictures.places),
    ):
        assert shown[item] == f"for texts: {text}; for pictures: {picture}"
    assert f"{pictures.heads.count}, each" in shown["heads"]


@pytest.mark.parametrize("language", core.words.languages())
def test_the_checksum_can_be_read_and_copied_whole_and_the_line_agrees_with_the_report(language):
    tab = visit(lang=language).switch_page("pages/models/models.py").run()
    tab.session_state["unfold.models.report.minilm"] = True
    tab = tab.run()
    entry = core.catalog()[0]
    assert [code.value for code in tab.code] == [entry.sha256]
    assert tab.code[0].language == "plaintext"
    line = next(text for text in texts(tab) if entry.source in text)
    assert {"en": "22.6 million", "zh": "2257 万"}[language] in line
    assert core.words.say(language, "models.needed", size="90 MB") in line


def test_letters_that_stand_for_bytes_are_explained_where_there_are_some():
    for model, way, other in (("smollm2", "bytes", "goes_on"), ("minilm", "goes_on", "bytes")):
        tab = visit(model=model, text="A naïve 猫")
        tab.session_state["unfold.heads.went_in."] = True
        tab = tab.run()
        assert shows(tab, core.words.say("en", f"heads.spelling_{way}"))
        assert not shows(tab, core.words.say("en", f"heads.spelling_{other}"))


@pytest.mark.parametrize("language", core.words.languages())
def test_what_was_left_out_is_named_with_its_reason(monkeypatch, minilm, smollm2, language):
    monkeypatch.setattr(words, "t", partial(core.words.say, language))
    shown = "\n".join(text for _, text in tables._ignored(minilm.report))
    assert minilm.report.ignored
    for name, reason in minilm.report.ignored:
        assert name in shown
        assert core.words.say(language, f"report.ignored_{reason}") in shown
    assert tables._ignored(smollm2.report) == [("ignored", core.words.say(language, "report.nothing"))]
