"""Inside in a real browser: formulas and charts are drawn, another key is followed, a reload restores."""

import re

import pytest

pytestmark = pytest.mark.browser


def opened(page, address):
    page.goto(address)
    page.get_by_role("heading", name=re.compile("Where does a number come from")).wait_for()
    page.get_by_text("The proof").wait_for()


def test_formulas_and_charts_are_drawn_and_the_page_is_not_wider_than_a_phone(server, new_page):
    page = new_page(viewport={"width": 390, "height": 800})
    opened(page, f"{server}/inside")
    page.locator(".katex-display").first.wait_for()
    page.locator(".js-plotly-plot").first.wait_for()
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_another_section_is_in_the_address_and_a_reload_restores_it(server, page):
    opened(page, f"{server}/inside?query=10&key=8")
    page.get_by_text("gives “\u2068street\u2069” 0.050").wait_for()
    page.get_by_text("Knobs", exact=True).click()
    page.get_by_text(re.compile("of this head’s attention went elsewhere")).wait_for()
    page.wait_for_url(re.compile("inside.show=knobs"))
    page.reload()
    page.get_by_text(re.compile("of this head’s attention went elsewhere")).wait_for()
