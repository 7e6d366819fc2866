"""Boxes for texts: what is too long stays where it was typed and is refused with its length; another text ends that."""

import pytest

import core
from pages.plumbing import link
from tests.pages import generating
from tests.pages.generating import SMALL, families, say
from tests.pages.visits import address, click, shows, texts, visit

__all__ = ["families"]
BOXES = [
    ("translate", {}, "translate.text", 300),
    ("mixers", {"mixers.show": "maps"}, "mixers.text", 300),
    ("mixers", {"mixers.show": "recall"}, "mixers.pairs", 600),
    ("mixers", {"mixers.show": "recall"}, "mixers.asked", 40),
]


def opened(page, words):
    return visit(**words).switch_page(f"pages/{page}/{page}.py").run()


def box(tab, option):
    kinds = (*tab.text_area, *tab.text_input)
    return next(one for one in kinds if one.key == f"field.{option}")


@pytest.mark.parametrize(("page", "words", "option", "most"), BOXES)
def test_a_text_that_is_too_long_stays_in_its_box_and_is_refused_with_its_length(page, words, option, most):
    tab = opened(page, words)
    before, long = set(texts(tab)), "it " * most
    refused = core.words.say("en", "frame.too_long", came=f"{len(long):,}", most=f"{most:,}")
    tab = box(tab, option).set_value(long).run()
    assert not tab.exception
    assert set(texts(tab)) - before == {refused}
    assert box(tab, option).value == long
    assert option not in address(tab)
    tab = box(tab, option).set_value("red 7, it").run()
    assert not shows(tab, refused)
    assert address(tab)[option] == "red 7, it"


def test_an_example_takes_the_place_of_a_text_that_was_too_long():
    tab = opened("translate", {})
    usual = box(tab, "translate.text").value
    tab = box(tab, "translate.text").set_value("it " * 300).run()
    tab = click(tab, "pair.0")
    assert box(tab, "translate.text").value == usual
    assert not shows(tab, "characters; at most")


def test_more_tokens_are_forced_than_a_link_can_say(monkeypatch):
    """They are forced all the same, and the page says that the link leaves them out."""
    monkeypatch.setattr(link, "LONGEST", 64)
    forced = ".".join(["50"] * 30)
    tab = generating.opened(**{**SMALL, "generate.text": "It", "generate.limit": "31", "generate.forced": forced})
    steps = generating.written(tab)["steps"]
    assert [one["ident"] for one in steps[:30]] == [50] * 30
    assert [one["forced"] for one in steps] == [True] * 30 + [False]
    assert shows(tab, say("long_forced"))
    assert "generate.forced" not in address(tab)
    assert address(tab)["generate.text"] == "It"
    tab = click(tab, "generate.unforce")
    assert not shows(tab, say("long_forced"))


def test_every_step_of_the_longest_text_can_be_another_token():
    from pages.plumbing import extras

    most = extras.EXTRAS["generate.limit"].reach[1]
    assert extras.fits("generate.forced", ".".join(["49151"] * most))
    assert not extras.fits("generate.forced", ".".join(["49151"] * (most + 1)))


def test_the_longest_text_cannot_be_made_longer(monkeypatch):
    from pages.plumbing.generate import asking

    monkeypatch.setattr(asking, "MOST", 4)
    tab = generating.opened(**SMALL)
    assert shows(tab, say("ended_limit", count=4))
    assert "generate.more" not in [one.key for one in tab.button]
