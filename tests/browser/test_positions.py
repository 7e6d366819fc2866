"""The Positions page in a real browser: what reruns, what survives a reload, and that nothing overflows."""

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from core import words
from pages.plumbing import extras

pytestmark = pytest.mark.browser
SLOW = 30_000
SECTIONS = extras.EXTRAS["positions.show"].words


def open_at(page, server, **options):
    rest = "&".join(f"{name}={word}" for name, word in options.items())
    page.goto(f"{server}/positions?{rest}")
    settled(page)


def settled(page):
    expect(page.get_by_test_id("stPlotlyChart").first.locator(".main-svg").first).to_be_visible(timeout=SLOW)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=SLOW)


def asked(page):
    """Every rerun that the page asks for from now on, by the fragment it is for ("" is the whole page)."""
    told = []

    def sent(payload):
        message = BackMsg.FromString(payload) if isinstance(payload, bytes) else BackMsg()
        if message.WhichOneof("type") == "rerun_script":
            told.append(message.rerun_script.fragment_id)

    page.on("websocket", lambda channel: channel.on("framesent", sent))
    return told


def test_changing_an_option_reruns_its_section_only(server, page):
    told = asked(page)
    open_at(page, server)
    told.clear()
    page.get_by_text(words.say("en", "positions.layout_halves")).click()
    page.wait_for_url("**positions.layout=halves**")
    page.get_by_text(words.say("en", "positions.show_linear")).click()
    page.wait_for_url("**positions.show=linear**")
    settled(page)
    assert len(told) == 2
    assert "" not in told
    assert len(set(told)) == 2


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_survives_a_reload(server, page, section):
    open_at(page, server, **{"positions.show": section, "lang": "zh", "positions.length": "300"})
    before = page.locator("h3").all_inner_texts()
    assert words.say("zh", f"positions.{section}_title") in before
    page.reload()
    settled(page)
    expect(page.locator("h3").first).to_have_text(before[0])
    assert page.locator("h3").all_inner_texts() == before
    assert "positions.length=300" in page.url


@pytest.mark.parametrize("section", SECTIONS)
def test_nothing_is_wider_than_a_phone(server, phone, section):
    open_at(phone, server, **{"positions.show": section})
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    assert phone.get_by_test_id("stException").count() == 0


def test_a_found_head_is_opened_on_the_heads_page(server, page):
    open_at(page, server, **{"positions.show": "heads"})
    page.get_by_role("button", name="L0 · H2").click()
    expect(page.locator("h1").first).to_have_text(words.say("en", "heads.question"), timeout=SLOW)
    page.wait_for_url("**layer=0**")
    assert "heads=2" in page.url


def test_the_numbers_come_as_a_file(server, page):
    open_at(page, server, **{"positions.length": "3", "positions.width": "4"})
    with page.expect_download() as coming:
        page.get_by_text(words.say("en", "positions.csv")).first.click()
    lines = coming.value.path().read_text("utf-8").splitlines()
    assert lines[:2] == [",0,1,2,3", "0,0,1,0,1"]
    assert len(lines) == 4
