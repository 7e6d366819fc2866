"""The page for whoever runs the server: behind a code, in both languages, and without a word that anybody typed."""

import socket

import pytest
import streamlit as st

import core
from core.engine import LocalEngine
from core.settings import Settings
from core.words import languages, say
from pages import SERVER
from pages.plumbing import doors
from pages.plumbing.operating import metrics
from tests.pages.visits import shows, visit

CODE, SECRET = "let me see", "zyzzyva"


@pytest.fixture
def guarded(monkeypatch):
    """A server whose operator has set a code."""
    engine = LocalEngine(Settings(operator_code=CODE))
    monkeypatch.setattr(doors, "engine", lambda: engine)
    return engine


def test_without_a_code_there_is_no_such_page():
    with pytest.raises(ValueError, match="server"):
        visit().switch_page(SERVER.file)


@pytest.mark.parametrize("language", languages())
def test_with_the_code_it_shows_how_the_server_does(guarded, language):
    tab = visit(text=f"{SECRET} slept", lang=language).switch_page(SERVER.file).run()
    assert tab.title[0].value == say(language, "server.question")
    assert not tab.dataframe
    tab = tab.text_input(key="field.code.operator").set_value(CODE).run()
    assert not tab.exception
    told = ("sessions", "kept", "rested", "waiting", "writing", "measuring", "memory")
    assert [one.label for one in tab.metric] == [say(language, f"server.{name}") for name in told]
    assert int(tab.metric[-1].value) > 100
    heads = say(language, "server.stores_heads").split("|")
    stores = tab.dataframe[0].value
    assert list(stores.columns) == heads
    assert stores[heads[0]].tolist() == [say(language, f"server.{name}") for name in ("models", "traces", "answers")]
    assert stores[heads[1]].tolist() == [store.things for store in guarded.vitals().stores.values()]
    assert SECRET not in "".join(frame.value.to_csv() for frame in tab.dataframe)


@pytest.mark.parametrize("address", ["127.0.0.1", "not.an.address.invalid"])
def test_numbers_that_cannot_be_served_are_told_at_the_start(address, guarded):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(core.CoreError) as caught:
            metrics.serve(address, port, metrics.Collected(guarded.vitals))
    assert caught.value.key == "setting_metrics"
    assert caught.value.values["came"] == f"{address}:{port}"


@pytest.mark.usefixtures("guarded")
def test_a_wrong_code_shows_nothing(monkeypatch):
    monkeypatch.setattr("pages.plumbing.operating.door.PATIENCE", 0)
    tab = visit().switch_page(SERVER.file).run()
    tab = tab.text_input(key="field.code.operator").set_value(CODE.upper()).run()
    assert shows(tab, say("en", "door.wrong"))
    assert not tab.dataframe


def test_who_waits_is_told_how_many_come_first(guarded, monkeypatch):
    said, spinner = [], st.spinner
    monkeypatch.setattr(st, "spinner", lambda text: said.append(text) or spinner(text))
    visit(text="Nobody else is here.")
    guarded._running.waiting = 3
    visit(text="Three others are here.")
    guarded._running.waiting = 0
    assert said == [say("en", "heads.working"), say("en", "heads.working_line", ahead=3)]


def test_who_would_wait_too_long_keeps_the_text_and_is_asked_to_come_back(guarded):
    visit(text="One run says how long they take.")
    guarded._admission._seconds, guarded._running.waiting = 30.0, 5
    tab = visit(text="This one comes too late.", lang="en")
    guarded._running.waiting = 0
    assert shows(tab, say("en", "errors.busy", ahead=5, seconds=150, allowed=60))
    assert tab.text_area(key="field.text").value == "This one comes too late."
    assert not tab.exception
