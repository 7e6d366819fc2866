"""The page in a real browser behind the shipped nginx, below /attn/: it loads, answers, and says what is too large."""

import re

import pytest
from playwright.sync_api import expect

import core
from pages.plumbing import uploads
from tests.browser.looking import choice, drawn, look, settled, tokens, type_in
from tests.core.changed import FAMILIES

pytestmark = pytest.mark.browser
LATE = 500  # milliseconds, more than anything in the page waits before it goes on by itself


def test_the_page_below_a_path_draws_a_new_sentence_and_fetches_a_map_h87(proxy, page, visit):
    """H87: behind nginx and below /attn/ the page draws, reads a sentence, opens another page and comes back."""
    look(page, proxy.address, text="a b c d e f g h " * 8, query=30)
    page.get_by_test_id("grid").locator("#tile-4-2").click()
    expect(page).to_have_url(re.compile("/attn/.*layer=4&heads=2"))
    settled(page)
    assert any("/attn/attn/" in address for address in visit.addresses)
    type_in(page, "My cat is asleep.")
    drawn(page, rows=7)
    page.get_by_role("link", name="Models").click()
    expect(page.locator("h1")).to_have_text(core.words.say("en", "models.question"))
    page.get_by_role("link", name="Heads").click()
    drawn(page, rows=7)
    assert choice(page)[:2] == ("4", "2")
    page.reload()
    drawn(page, rows=7)
    assert "asleep" in tokens(page)


def test_on_a_slow_link_the_page_comes_late_and_whole_h87(proxy, new_page):
    """H87: every answer takes half a second more."""
    page = new_page()
    slow = page.context.new_cdp_session(page)
    slow.send("Network.enable")
    slow.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": LATE, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    look(page, proxy.address)
    type_in(page, "My cat is asleep.")
    drawn(page, rows=7)


def bring(page, *files):
    page.locator('input[type="file"]').set_input_files([*files])


@pytest.mark.parametrize("size", [(1 << 20) - 100, 11 << 20], ids=["once it is wrapped", "before it is sent"])
def test_a_file_over_the_limit_is_refused_in_words_h88(proxy, page, tmp_path, size):
    """H88: the limit is said beside the box, and again where it bites; one file that is just below it is above it once
    it is wrapped, which only nginx and the server see."""
    page.goto(f"{proxy.address}/models")
    expect(page.get_by_text("each file at most 1 MiB")).to_be_visible()
    large = tmp_path / "large.json"
    large.write_bytes(b" " * size)
    bring(page, large)
    expect(page.get_by_role("alert")).to_have_text("Error: File must be 1.0MB or smaller.")


SAID = "node => [getComputedStyle(node).fontSize, JSON.parse(getComputedStyle(node, '::after').content)]"


@pytest.mark.parametrize("language", core.words.languages())
def test_the_box_for_files_speaks_the_visitors_language(proxy, page, tmp_path, language):
    """Streamlit's own words for it, which are English, are there without any size, and what is said follows them."""
    page.goto(f"{proxy.address}/models?lang={language}")
    (tmp_path / "large.json").write_bytes(b" " * (2 << 20))
    values = {"each": 1, "kinds": ", ".join(f".{ending}" for ending in uploads.ENDINGS)}
    for key, place in uploads.PLACES.items():
        if key == "upload_turned_down":
            bring(page, tmp_path / "large.json")
        told = page.locator(f"{uploads.BOX} {place}").first
        told.wait_for()
        assert told.evaluate(SAID) == ["0px", core.words.say(language, f"models.{key}", **values)]


def test_files_under_the_limit_open_behind_nginx_h88(proxy, page):
    page.goto(f"{proxy.address}/models")
    bring(page, *(FAMILIES / "bert_mlm" / name for name in ("config.json", "model.safetensors", "tokenizer.json")))
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_text("Brought along by you")).to_be_visible()
