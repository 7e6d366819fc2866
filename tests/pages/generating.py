"""Visits to the Generate page without a browser: how it is opened, what it says, what its component was given."""

import json

import core
from tests.pages.visits import given, visit

PAGE = "pages/generate/generate.py"
TEXT = "The cat sat."
SHORT = {"generate.text": TEXT, "generate.first": TEXT, "generate.second": "The cat slept."}
SHORT |= {"generate.limit": "4", "generate.prompts": "The cat sat.\nThe cat slept.", "generate.each": "3"}


def opened(**words):
    return visit(**words).switch_page(PAGE).run()


def say(key, language="en", **values):
    return core.words.say(language, f"generate.{key}", **values)


def written(tab):
    return json.loads(given(tab, "written").json)
