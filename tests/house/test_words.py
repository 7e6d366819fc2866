"""The message catalogues say the same in every language, and nothing is said that is not in them."""

import ast
import re
import string

import pytest

from core import words
from tests.house.source import called, docstring, files, name, tree

SENTENCE = re.compile(r"[A-Za-z']{2,}(?:,? [A-Za-z']{2,}){2,}|[\u4e00-\u9fff]{4,}")
SAME_VALUE = {"wan": "millions"}  # Chinese counts parameters in ten thousands
SAMPLES = {"check.sentence"}  # read by a model, not by a person
OTHERS = [language for language in words.languages() if language != "en"]


def placeholders(text):
    fields = (field for _, field, _, _ in string.Formatter().parse(text) if field is not None)
    return sorted(SAME_VALUE.get(field, field) for field in fields)


def test_english_and_chinese_are_there():
    assert words.languages()[0] == "en"
    assert "zh" in OTHERS


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_messages(language):
    assert set(words.catalogue(language)) == set(words.catalogue("en"))


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_fills_in_the_same_values(language):
    english, other = words.catalogue("en"), words.catalogue(language)
    differ = [key for key in english.keys() & other.keys() if placeholders(english[key]) != placeholders(other[key])]
    assert differ == []


def test_no_value_has_the_name_of_an_argument_of_say():
    taken = [key for key, text in words.catalogue("en").items() if {"key", "language"} & set(placeholders(text))]
    assert taken == []


@pytest.mark.parametrize("language", words.languages())
def test_no_message_is_empty(language):
    assert [key for key, text in words.catalogue(language).items() if not text.strip()] == []


def test_chinese_messages_are_chinese():
    alike = [
        key
        for key, text in words.catalogue("zh").items()
        if key not in SAMPLES and SENTENCE.search(text) and not re.search(r"[\u4e00-\u9fff]", text)
    ]
    assert alike == []


def test_core_and_pages_contain_no_sentence():
    found = [
        f"{name(path)}:{node.lineno} {node.value!r}"
        for path in files("core", "pages")
        for node in spoken(tree(path))
        if SENTENCE.search(node.value) and "->" not in node.value
    ]
    assert found == []


def spoken(module):
    """Every string of a module that is neither a docstring nor an annotation, nor the sentence the page opens with."""
    silent = {id(told.value) for node in ast.walk(module) if (told := docstring(node))}
    for node in ast.walk(module):
        if isinstance(node, ast.Subscript):
            silent |= {id(part) for part in ast.walk(node.slice)}
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "OPENING":
            silent.add(id(node.value))
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node


def test_every_error_has_its_message_and_every_value_it_names():
    lacking = [
        f"{name(path)}:{node.lineno} {ast.unparse(node)}"
        for path in files("core", "pages")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and called(node).split(".")[-1] == "CoreError" and not complete(node)
    ]
    assert lacking == []


def complete(node):
    """Whether an error raised with a plain key has a message whose placeholders are all given."""
    if not (node.args and isinstance(node.args[0], ast.Constant)):
        return True
    message = words.catalogue("en").get(f"errors.{node.args[0].value}")
    given = {SAME_VALUE.get(keyword.arg, keyword.arg) for keyword in node.keywords}
    return message is not None and (None in given or set(placeholders(message)) <= given)


def test_every_message_that_pages_ask_for_exists():
    lacking = [
        f"{name(path)}:{node.lineno} {node.args[0].value}"
        for path in files("pages", "core")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and called(node) in {"words.t", "words.say"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value not in words.catalogue("en")
    ]
    assert lacking == []


def test_a_sentence_is_noticed():
    module = ast.parse(
        'def f():\n    """A docstring may speak."""\n    raise ValueError(f"the text {1} is much too long")'
    )
    assert [node.value for node in spoken(module) if SENTENCE.search(node.value)] == [" is much too long"]
