"""Generate: what cannot be read is refused with its reason; the text and what was shown before stay."""

from dataclasses import replace

import pytest

from pages.plumbing import doors
from tests.pages.generating import SMALL, families, opened, say, written
from tests.pages.visits import shows, sketches, texts

__all__ = ["families"]
LONG = "a b c d e f g h " * 10
BOXES = {"write": "text", "mask": "first", "cache": "text", "serve": "prompts"}


def refused(tab, box, text):
    tab = tab.text_area(key=f"field.generate.{box}").set_value(text).run()
    assert not tab.exception
    assert tab.text_area(key=f"field.generate.{box}").value == text
    return tab


@pytest.mark.parametrize("text", ["", LONG], ids=["empty", "long"])
def test_what_was_written_stays_when_the_next_prompt_is_refused(text):
    tab = opened(**SMALL)
    before = written(tab)["steps"]
    tab = refused(tab, "text", text)
    assert shows(tab, "at most 64 are possible" if text else say("blank"))
    assert shows(tab, say("before"))
    assert written(tab)["steps"] == before


@pytest.mark.parametrize(("section", "text"), [("mask", ""), ("cache", LONG), ("serve", LONG), ("serve", "  \n ")])
def test_what_a_section_showed_stays_when_its_text_is_refused(section, text):
    tab = opened(**{**SMALL, "generate.show": section})
    before = [one["title"] for one in sketches(tab)]
    tab = refused(tab, BOXES[section], text)
    assert shows(tab, say("before"))
    assert [one["title"] for one in sketches(tab)] == before
    assert len(before) > 2


def test_the_tree_of_a_search_stays_when_the_next_prompt_is_refused():
    tab = opened(**{**SMALL, "generate.model": "marian_mt", "generate.way": "beams"})
    (before,) = sketches(tab)
    tab = refused(tab, "text", LONG * 6)
    assert shows(tab, say("before"))
    assert [one["labels"] for one in sketches(tab)] == [before["labels"]]


def test_another_sentence_that_is_refused_leaves_the_pair_that_was_compared():
    tab = opened(**{**SMALL, "generate.show": "mask"})
    before = [one["title"] for one in sketches(tab)]
    tab = refused(tab, "second", "Completely other")
    assert shows(tab, "They must share")
    assert [one["title"] for one in sketches(tab)] == before


def test_where_nothing_was_shown_before_only_the_reason_is_said():
    tab = opened(**{**SMALL, "generate.show": "cache", "generate.text": LONG})
    assert not tab.exception
    assert not sketches(tab)
    assert not any(text == say("before") for text in texts(tab))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_end_tokens_that_are_no_numbers_stay_in_their_box_and_are_refused(language):
    tab = opened(**{**SMALL, "generate.stop": "own", "generate.ends": "2", "lang": language})
    box = "field.generate.ends"
    tab = tab.text_input(key=box).set_value("two").run()
    wrong = say("ends_wrong", language, came="“\u2068two\u2069”")
    assert not tab.exception
    assert tab.text_input(key=box).value == "two"
    assert shows(tab, wrong)
    assert written(tab)["steps"]
    tab = tab.text_input(key=box).set_value("0， 2").run()
    assert tab.text_input(key=box).value == "0,2"
    assert not shows(tab, wrong)


def test_end_tokens_that_the_model_does_not_have_are_named():
    tab = opened(**{**SMALL, "generate.stop": "own", "generate.ends": "0,60000"})
    assert not tab.exception
    assert shows(tab, "No token of this model is called 60000")
    assert not shows(tab, "(60000)")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_more_tokens_than_this_server_writes_in_one_go_are_not_written_and_it_says_so(language, monkeypatch):
    monkeypatch.setattr(doors.engine(), "settings", replace(doors.engine().settings, max_written=3))
    asked = {**SMALL, "generate.limit": "4", "generate.stop": "never", "lang": language}
    tab = opened(**asked)
    told = say("limit_here", language, most=3, name="HEADS_UP_MAX_WRITTEN")
    assert not tab.exception
    assert len(written(tab)["steps"]) == 3
    assert shows(tab, told)
    assert not [button for button in tab.button if button.key == "generate.more"]
    assert not shows(opened(**{**asked, "generate.limit": "3"}), told)
