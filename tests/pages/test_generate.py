"""The Generate page: every section, what it says of every kind of model, its options and its address."""

from types import SimpleNamespace

import pytest

import core
from pages.plumbing import extras
from pages.plumbing.generate import finished, run
from tests.pages.generating import SHORT, SMALL, TEXT, families, opened, say, written
from tests.pages.visits import address, click, shows, sketches, texts

__all__ = ["families"]
LANGUAGES = core.words.languages()
SECTIONS = extras.EXTRAS["generate.show"].words
WRITERS = ("gpt2_lm", "mistral_window", "gemma2_lm", "llama3_biases", "marian_mt", "t5_relu_tied", "jamba_lm")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_opens_and_every_figure_has_its_source_and_its_numbers(section, language):
    model = SHORT if language == "en" else SMALL
    tab = opened(**{**model, "generate.show": section, "lang": language})
    assert not tab.exception
    assert say(f"{section}_title", language) in [element.value for element in tab.subheader]
    assert not any("{" in text for text in texts(tab))
    known = core.words.catalogue(language)
    sources = {text for name, text in known.items() if name.startswith("generate.source_")}
    sheets, drawn = [element.proto.label for element in tab.get("download_button")], sketches(tab)
    assert drawn
    assert not tab.get("plotly_chart")  # whose code takes a browser half a second before anything is drawn
    assert {*sheets, *(one["words"]["csv"] for one in drawn)} == {say("csv", language)}
    assert sum(text.rpartition(" · ")[2] in sources for text in texts(tab)) == len(sheets)
    assert all(one["note"].rpartition(" · ")[2] in sources for one in drawn)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("model", WRITERS)
def test_every_kind_of_writer_opens_or_says_why_not(model, section):
    tab = opened(**{**SHORT, "generate.show": section, "generate.model": model})
    assert not tab.exception
    assert say(f"{section}_title") in [element.value for element in tab.subheader]
    if section == "write":
        assert written(tab)["steps"]


@pytest.mark.parametrize("model", ["minilm", "bert_mlm", "gpt2_classes"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_cannot_write_says_so_and_the_prompt_stays(model, language):
    tab = opened(**{**SHORT, "generate.model": model, "lang": language})
    assert not tab.exception
    refused = core.words.catalogue(language)
    told = "errors.classes_only" if model == "gpt2_classes" else "errors.not_a_writer"
    assert shows(tab, refused[told].format(name=model, came="encoder").split("。")[0])
    assert tab.text_area(key="field.generate.text").value == TEXT


@pytest.mark.parametrize(
    "words",
    [
        {"generate.temperature": "0.7", "generate.seed": "5", "generate.top_k": "20", "generate.top_p": "0.9"},
        {"generate.stop": "own", "generate.ends": "0,2", "generate.min_p": "0.05", "generate.step": "2"},
        {"generate.forced": "2068.253", "generate.limit": "4", "generate.map": "decoder.3.2", "lang": "zh"},
        {"generate.show": "serve", "generate.block": "8", "generate.event": "3", "generate.sharing": "apart"},
    ],
    ids=lambda words: next(iter(words)),
)
def test_a_link_opens_the_same_page_with_the_same_options(words):
    words = {**SMALL, **words}
    first = opened(**words)
    assert not first.exception
    assert address(first).items() >= words.items()
    second = opened(**address(first))
    assert address(second) == address(first)
    assert texts(second) == texts(first)


def test_wrong_options_fall_to_what_the_page_opens_with():
    wrong = {"generate.temperature": "-1", "generate.top_p": "1.5", "generate.limit": "0", "generate.forced": "a"}
    tab = opened(**{**SMALL, **wrong, "generate.show": "everything"})
    assert not tab.exception
    assert not {*wrong, "generate.show"} & address(tab).keys()


def test_options_are_set_on_the_page_and_written_into_the_address():
    tab = opened(**{**SMALL, "generate.limit": "3", "generate.stop": "never"})
    tab = tab.number_input(key="field.generate.temperature").set_value(0.85).run()
    assert address(tab)["generate.temperature"] == "0.85"
    tab = click(tab, "generate.another")
    assert address(tab)["generate.seed"] == "1"
    tab = click(tab, "generate.more")
    assert address(tab)["generate.limit"] == "19"
    assert len(written(tab)["steps"]) == 19


def test_a_text_that_may_become_long_is_written_without_its_maps_and_says_so():
    tab = opened(**{"generate.limit": "512", "generate.text": "One, two, three", "generate.stop": "own"} | _comma())
    assert not tab.exception
    assert shows(tab, say("too_wide", most=run.most(270)))
    assert not shows(tab, say("rows_note"))


def _comma():
    """End at the first comma, so that the text is short all the same."""
    return {"generate.ends": "28"}


@pytest.mark.parametrize("text", ["<b>x</b> ![y](https://evil.example/p.png) $z$", "q", "猫", "\u202ex y", "🙂"])
def test_odd_prompts_open_and_are_never_read_as_markup(text):
    tab = opened(**{**SMALL, "generate.text": text, "generate.limit": "3"})
    assert not tab.exception
    parsed = [element.value for element in (*tab.markdown, *tab.caption, *tab.title, *tab.subheader)]
    assert len(text) == 1 or not any(text in shown for shown in parsed)
    assert tab.text_area(key="field.generate.text").value == text


@pytest.mark.parametrize(
    ("section", "name", "most"),
    [("write", "text", 1000), ("mask", "first", 300), ("mask", "second", 300), ("serve", "prompts", 1200)],
)
def test_a_text_that_is_too_long_for_its_box_stays_there_and_is_refused_with_its_length(section, name, most):
    tab = opened(**{**SMALL, "generate.show": section})
    key, long = f"field.generate.{name}", "a" * (most + 1)
    refused = core.words.say("en", "frame.too_long", came=f"{most + 1:,}", most=f"{most:,}")
    before = set(texts(tab))
    tab = tab.text_area(key=key).set_value(long).run()
    assert not tab.exception
    assert set(texts(tab)) - before == {refused}
    assert tab.text_area(key=key).value == long
    tab = tab.text_area(key=key).set_value("One, two").run()
    assert not shows(tab, refused)
    assert tab.text_area(key=key).value == "One, two"


def test_without_a_prompt_it_says_what_to_do():
    tab = opened(**{**SMALL, "generate.text": "", "lang": "zh"})
    assert not tab.exception
    assert shows(tab, say("blank", "zh"))


@pytest.mark.parametrize("came", [None, {}, {"serial": "x", "step": 1}, {"step": "1"}, {"step": -1}, {"step": True}])
def test_what_the_browser_reports_is_checked(came, monkeypatch):
    asked = run.Run(wanted=core.engine.Wanted(model="smollm2", text=TEXT), steps=[SimpleNamespace()] * 3)
    if came and "serial" not in came:
        came = {"serial": f"{asked.wanted!r}", **came}
    state = {finished.KEY: {"step": came}, finished.SHOWN: asked}
    monkeypatch.setattr(finished.st, "session_state", state)
    assert finished._came("step") is None
