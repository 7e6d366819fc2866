"""What could not be read leaves no trace: the next sentence is chosen on the map as it is in the words beside it."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def read(page, text):
    page.get_by_role("textbox").first.fill(text)
    page.keyboard.press("Control+Enter")


def test_the_sentence_after_a_refused_one_is_marked_on_the_map(page, server):
    page.goto(server)
    shown = page.get_by_test_id("map")
    expect(shown).to_have_attribute("data-query", "10")
    read(page, " ")
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    read(page, "Hi there")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(shown).to_have_attribute("data-rows", "4")
    expect(shown).to_have_attribute("data-query", "2")
    page.get_by_text("Per head", exact=True).click()
    expect(page.get_by_text("share, this head's own scale")).to_be_visible()


def test_choosing_tokens_leaves_the_grid_in_order_until_it_is_sorted_by_them(page, server):
    page.goto(server)
    tokens = page.get_by_test_id("map").get_by_role("button")
    order = page.get_by_test_id("order")
    tokens.filter(has_text="street").first.click()
    expect(page.get_by_test_id("map")).to_have_attribute("data-query", "8")
    expect(page).to_have_url(re.compile("^(?!.*sort=).*query=8"))
    tokens.filter(has_text="tired").first.click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile("^(?!.*sort=).*key=13"))
    expect(order).to_have_attribute("aria-pressed", "false")
    order.click()
    expect(page).to_have_url(re.compile("sort=1.*key=13"))
