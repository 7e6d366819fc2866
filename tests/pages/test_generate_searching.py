"""A beam search on the page: its place in the line, how far it is, and how it is stopped."""

import pytest
import streamlit as st

import core
from pages.plumbing import doors
from tests.pages.generating import SHORT, families, opened, say
from tests.pages.visits import click, shows, sketches

__all__ = ["families"]
WORDS = {**SHORT, "generate.model": "marian_mt", "generate.way": "beams", "generate.beams": "2"}


def halfway(*parts):
    """An engine's search that has got so far while the page is looked at."""

    def searching(*_, **__):
        yield from parts
        st.stop()

    return searching


@pytest.mark.parametrize("language", core.words.languages())
@pytest.mark.parametrize(
    ("part", "said", "values"),
    [
        (core.engine.Waiting(ahead=2), "queue", {"ahead": 2}),
        (core.engine.Searching(length=3), "searching", {"length": 3, "limit": 4}),
    ],
    ids=["queue", "progress"],
)
def test_a_search_says_who_comes_before_it_and_how_far_it_is(part, said, values, language, monkeypatch):
    monkeypatch.setattr(doors.engine(), "searching", halfway(part))
    tab = opened(**WORDS, lang=language)
    assert not tab.exception
    assert shows(tab, say(said, language, **values))
    assert say("stop_now", language) in [one.label for one in tab.button]


def test_a_stopped_search_says_so_and_can_begin_again(monkeypatch):
    stopped = []
    with monkeypatch.context() as patched:
        patched.setattr(doors.engine(), "searching", halfway(core.engine.Searching(length=1)))
        patched.setattr(doors.engine(), "stop", stopped.append)
        tab = click(opened(**WORDS), "generate.halt")
    assert len(stopped) == 1
    assert shows(tab, say("search_stopped"))
    assert not sketches(tab)
    tab = click(tab, "generate.search_again")
    assert not tab.exception
    assert sketches(tab)
    assert not shows(tab, say("search_stopped"))


def test_a_search_stands_in_the_line_under_the_name_of_its_visit(monkeypatch):
    engine, names = doors.engine(), []
    search, write = engine.searching, engine.write

    def named(kept):
        def begin(wanted, session, **how):
            names.append(session)
            return kept(wanted, session, **how)

        return begin

    monkeypatch.setattr(engine, "searching", named(search))
    monkeypatch.setattr(engine, "write", named(write))
    tab = opened(**WORDS)
    tab = tab.segmented_control(key="field.generate.way").set_value("sample").run()
    assert not tab.exception
    assert len(names) == 2
    assert len(set(names)) == 1
