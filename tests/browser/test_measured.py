"""Measuring in a real browser: the page stays usable, others do not notice, and a closed tab ends the work."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core import words
from tests.conftest import serving

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="this system does not list its processes"),
]
SLOW, BUSY = 60_000, 150_000
WHAT = {"cost.show": "measured", "measured.what": "everyone,lstm", "measured.longest": "16384", "measured.way": "both"}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """The address of a server that does not wait long for those who measure and have gone away."""
    with serving(tmp_path_factory.mktemp("hasty") / "log", script="tests/browser/counted.py") as address:
        yield address


def workers():
    """Every process that measures for a server that tests began."""
    found = (path for path in Path("/proc").iterdir() if path.name.isdecimal())
    return {path.name for path in found if b"core.measure.worker" in told(path / "cmdline")}


def told(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def until(page, true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        page.wait_for_timeout(200)


def button(page, name):
    return page.get_by_role("button", name=words.say("en", f"measured.{name}"), exact=True)


def opened(page, server):
    page.goto(f"{server}/cost?" + "&".join(f"{name}={word}" for name, word in WHAT.items()))
    expect(button(page, "begin")).to_be_visible(timeout=SLOW)


def test_a_sweep_leaves_pages_usable_and_ends_with_its_tab(hasty, new_tab):
    before, page, other = workers(), new_tab(), new_tab()
    opened(page, hasty)
    button(page, "begin").click()
    expect(page.get_by_text("points; about")).to_be_visible(timeout=BUSY)
    mine = workers() - before
    assert mine
    page.get_by_role("radio", name=words.say("en", "cost.show_counted")).click()
    expect(page.locator("h3").first).to_have_text(words.say("en", "cost.counted_title"), timeout=SLOW)
    other.goto(hasty)
    expect(other.get_by_role("heading", name=words.say("en", "heads.question")).first).to_be_visible(timeout=SLOW)
    page.get_by_role("radio", name=words.say("en", "cost.show_measured")).click()
    expect(button(page, "stop")).to_be_visible(timeout=SLOW)
    page.close()
    until(other, lambda: not mine & workers())


def test_a_button_ends_the_work_at_once(hasty, page):
    before = workers()
    opened(page, hasty)
    button(page, "begin").click()
    expect(page.get_by_text("points; about")).to_be_visible(timeout=BUSY)
    mine = workers() - before
    button(page, "stop").click()
    until(page, lambda: not mine & workers(), seconds=20)
    expect(button(page, "begin")).to_be_visible(timeout=SLOW)


@pytest.mark.parametrize("section", ["measured", "peers"])
def test_a_section_fits_a_phone(server, phone, section):
    phone.goto(f"{server}/cost?cost.show={section}&lang=zh")
    expect(phone.locator("h3").first).to_have_text(words.say("zh", f"cost.{section}_title"), timeout=SLOW)
    expect(phone.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=SLOW)
    assert phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
