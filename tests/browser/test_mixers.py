"""The Mixers page in a real browser: what reruns, that a box opens the running thing, and that nothing overflows."""

import pytest
from playwright.sync_api import expect

from core import words
from pages.plumbing import extras
from tests.browser.looking import open_section, section_there

pytestmark = pytest.mark.browser
SLOW = 60_000
SECTIONS = extras.EXTRAS["mixers.show"].words


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_survives_a_reload_and_fits_a_phone(server, phone, section):
    open_section(phone, f"{server}/mixers", **{"mixers.show": section, "lang": "zh", "mixers.depth": "4"})
    title = words.say("zh", f"mixers.{section}_title")
    expect(phone.locator("h3").first).to_have_text(title)
    phone.reload()
    section_there(phone)
    expect(phone.locator("h3").first).to_have_text(title)
    assert phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_box_of_the_map_of_ideas_opens_the_running_thing(server, page):
    open_section(page, f"{server}/mixers", **{"mixers.show": "around", "lang": "en"})
    page.get_by_role("button", name=words.say("en", "mixers.name_lstm"), exact=True).click()
    page.wait_for_url("**mixers.big=lstm**")
    section_there(page)
    expect(page.locator("h3").first).to_have_text(words.say("en", "mixers.maps_title"), timeout=SLOW)
