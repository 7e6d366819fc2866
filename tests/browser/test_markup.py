"""Markup in every box of every page, in links, and in a vocabulary and a folder's name: letters, on every page."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages import PAGES
from tests.browser.conftest import FOLDER, PIECES

pytestmark = pytest.mark.browser
MARKUP = (
    "<img src=x onerror=alert(1)><b onclick=alert(1)>b</b> ![p](//stranger.example/p) [a](javascript:alert(1)) $y^2$"
)
HANDLED = "[onerror], [onclick], [onmouseover]"
ALIVE = f"img[src='x'], img[src*='stranger'], a[href*='stranger'], a[href^='javascript'], {HANDLED}"
WORDS = "generate.text", "generate.first", "generate.second", "generate.prompts"
WORDS += "translate.text", "mixers.text", "mixers.pairs", "mixers.asked", "translate.model", "generate.model"
TELLING = {"mixers.pairs": f"{MARKUP} 7, blue 9", "mixers.asked": "<i onclick=alert(1)>"}
SHOWN = {"inside": ("cell", "projections"), "positions": ("heads", "schemes"), "translate": ("write", "compare")}
SHOWN |= {"generate": ("write", "mask", "cache", "serve"), "mixers": ("maps", "gates", "recall"), "cost": ("counted",)}
SECTIONS = [(row.section, show) for row in PAGES for show in SHOWN.get(row.section, ("",))]
SLOW = 60_000


def opened(page, server, section, **words):
    """Open a page and wait until its script has come to an end."""
    page.goto(f"{server}/{section}?{urlencode({name: word for name, word in words.items() if word})}")
    expect(page.locator("h1").first).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=SLOW)


@pytest.fixture
def dialogs(page):
    """Every dialog that a script opened."""
    came = []
    page.on("dialog", lambda dialog: (came.append(dialog.message), dialog.dismiss()))
    return came


@pytest.mark.parametrize(("section", "show"), SECTIONS, ids=lambda word: word or "whole")
def test_markup_in_a_link_is_letters(server, page, dialogs, section, show):
    words = {name: TELLING.get(name, MARKUP) for name in WORDS if name.startswith(f"{section}.")}
    limits = {"generate.limit": "2"} if section == "generate" else {}
    opened(page, server, section, text=MARKUP, pair=MARKUP, **words, **limits, **{f"{section}.show": show})
    assert page.locator(ALIVE).count() == 0
    assert dialogs == []
    assert page.get_by_test_id("stException").count() == 0


def test_what_is_alive_would_be_noticed(page, dialogs):
    body = "<img src=x onerror=alert(1)><a href='javascript:alert(1)'>a</a>"
    page.route("**/*", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto("http://127.0.0.1:1/")
    page.wait_for_load_state("networkidle")
    assert page.locator(ALIVE).count() == 2
    assert dialogs == ["1"]


@pytest.mark.parametrize("section", ["inside", "positions", "cost", "generate", "translate"])
def test_a_vocabulary_and_a_folder_of_markup_are_letters(bare, page, dialogs, section):
    show = {"positions.show": "heads"} if section == "positions" else {}
    model = {f"{section}.model": FOLDER} if section in ("generate", "translate") else {}
    opened(page, bare, section, model=FOLDER, text="|".join(PIECES), **show, **model)
    assert page.locator(ALIVE).count() == 0
    assert dialogs == []
    assert page.get_by_test_id("stException").count() == 0
