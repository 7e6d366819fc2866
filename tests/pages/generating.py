"""Visits to the Generate page without a browser: how it is opened, what it says, what its component was given."""

import json

import pytest
from streamlit.testing.v1 import AppTest

import core
from pages.plumbing import doors
from tests.golden.fixtures import HERE
from tests.pages.visits import given

TEXT = "The cat sat."
SHORT = {"generate.text": TEXT, "generate.first": TEXT, "generate.second": "The cat slept."}
SHORT |= {"generate.limit": "4", "generate.prompts": "The cat sat.\nThe cat slept.", "generate.each": "3"}
SMALL = {**SHORT, "generate.model": "llama3_biases"}


@pytest.fixture(autouse=True)
def families(monkeypatch):
    """The small models of the fixtures, beside those that come along."""
    monkeypatch.setattr(doors.engine(), "settings", core.settings.Settings(device="cpu", models_root=HERE / "families"))


def opened(**words):
    """Open the page in a new tab, at an address; no other page runs before it."""
    tab = AppTest.from_function(alone, default_timeout=60)
    tab.query_params.update(words)
    return tab.run()


def alone():
    """The application with nothing but this page."""
    from pages import PAGES
    from pages.plumbing import frame

    frame.open([row for row in PAGES if row.section == "generate"])


def say(key, language="en", **values):
    return core.words.say(language, f"generate.{key}", **values)


def written(tab):
    return json.loads(given(tab, "written").json)
