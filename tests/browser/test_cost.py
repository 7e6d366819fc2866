"""The Cost page in a real browser: it fits a phone, its options are in the link, and formulas open at a click."""

import pytest
from playwright.sync_api import expect

from core import words
from tests.browser.looking import open_section, section_there

pytestmark = pytest.mark.browser
SLOW = 60_000
SECTIONS = ("counted", "roofline", "reading", "keeping")


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_survives_a_reload_and_fits_a_phone(server, phone, section):
    open_section(phone, f"{server}/cost", **{"cost.show": section, "lang": "zh", "cost.chip": "l4", "cost.width": "64"})
    title = words.say("zh", f"cost.{section}_title")
    expect(phone.locator("h3").first).to_have_text(title)
    expect(phone.locator(".js-plotly-plot").first).to_be_visible(timeout=SLOW)
    phone.reload()
    section_there(phone)
    expect(phone.locator("h3").first).to_have_text(title)
    assert phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_shortcut_is_in_the_link_and_moves_the_mark(server, page):
    open_section(page, f"{server}/cost", **{"cost.show": "keeping", "lang": "en"})
    expect(page.locator(".annotation-text").filter(has_text="2,000 tokens").first).to_be_visible(timeout=SLOW)
    page.get_by_text(words.say("en", "cost.length_log", value="200,000"), exact=True).click()
    page.wait_for_url("**cost.length=200000**")
    expect(page.locator(".annotation-text").filter(has_text="200,000 tokens").first).to_be_visible(timeout=SLOW)


def test_a_formula_opens_at_a_click(server, page):
    open_section(page, f"{server}/cost", **{"cost.show": "counted", "lang": "en"})
    expect(page.locator(".katex-display")).to_have_count(0)
    page.get_by_text(words.say("en", "cost.formula"), exact=True).click()
    expect(page.locator(".katex-display").first).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("12,582,912").first).to_be_visible()


def test_a_chart_is_kept_as_svg_by_the_button_under_it(server, page):
    open_section(page, f"{server}/cost", **{"cost.show": "counted", "lang": "en"})
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=SLOW)
    buttons = page.get_by_role("button", name=words.say("en", "sketch.save"), exact=True)
    expect(buttons).to_have_count(2, timeout=SLOW)
    for button, name in zip(buttons.all(), ("growth", "mixers"), strict=True):
        with page.expect_download(timeout=SLOW) as coming:
            button.click()
        assert coming.value.suggested_filename == f"cost-{name}.svg"
        drawn = coming.value.path().read_text("utf-8")
        assert drawn.startswith("<svg")
        assert "you are here: 16" in drawn
        assert ("Elman RNN" in drawn) is (name == "mixers")
