"""Everything can be reached: by keyboard alone, on a phone, and without the launcher."""

import re

import pytest
from playwright.sync_api import expect

import core
from tests.browser.looking import (
    choice,
    close_to,
    drawn,
    look,
    refused,
    settled,
    state,
    table,
    the_map,
    tokens,
    type_in,
)

pytestmark = pytest.mark.browser

FOCUSED = """selector => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return Boolean(at?.matches(selector));
}"""


def tab_to(page, selector):
    """Press Tab until something has the focus; how often it took."""
    for count in range(1, 90):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED, selector):
            return count
    pytest.fail(f"no way to {selector} by Tab")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def chosen(page, **wanted):
    for name, value in wanted.items():
        expect(the_map(page)).to_have_attribute(f"data-{name}", value)


def test_a_walk_by_keyboard_alone(server, page):
    look(page, server)
    tab_to(page, "textarea")
    press(page, "Control+a")
    page.keyboard.type("My cat is asleep.")
    press(page, "Control+Enter")
    drawn(page, rows=7)
    tab_to(page, "[data-testid=strip] .token")
    press(page, "ArrowRight", "ArrowRight", "Enter")
    chosen(page, query="2")
    tab_to(page, "[data-testid=grid]")
    layer, head = map(int, choice(page)[:2])
    press(page, "ArrowLeft", "ArrowUp")
    chosen(page, layer=str(layer - 1), heads=str(head - 1))
    press(page, "Shift+ArrowRight", "Shift+Enter")
    chosen(page, layer=str(layer - 1), heads=f"{head - 1},{head}")
    tab_to(page, "[data-testid=big]")
    press(page, "ArrowDown", "ArrowDown", "ArrowRight", "Enter")
    assert (state(page)["query"], state(page)["key"]) != ("2", "")
    assert page.locator(".unseen[aria-live]").text_content().strip()
    press(page, "Escape", "Escape")
    chosen(page, query="", key="")
    tab_to(page, "[data-testid=table] summary")
    press(page, "Enter")
    expect(page.get_by_test_id("table").locator("tbody tr")).to_have_count(7)
    tab_to(page, "[data-testid=stExpander] summary")
    press(page, "Enter")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()


def test_every_head_has_a_name_for_a_screen_reader(server, page):
    look(page, server)
    names = page.get_by_role("gridcell").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert len(set(names)) == len(names) == 6 * 13 + 1
    active = page.get_by_test_id("grid").get_attribute("aria-activedescendant")
    assert page.get_by_test_id("grid").locator(f"#{active}").get_attribute("aria-selected") == "true"


WIDEST = """width => [...document.querySelectorAll('.stMain *')]
  .flatMap(node => [node, ...(node.shadowRoot?.querySelectorAll('*') ?? [])])
  .filter(node => node.checkVisibility({ visibilityProperty: true }))
  .filter(node => node.getBoundingClientRect().right > width + 1)
  .filter(node => !node.closest('.strip, .scroll, .unseen, [data-testid=stDataFrame]'))
  .map(node => `${node.tagName}.${node.className}`)"""


@pytest.mark.parametrize(
    "words", [{}, {"lang": "zh", "model": "smollm2", "heads": "1,4", "layer": "7", "scale": "head"}], ids=["en", "zh"]
)
def test_on_a_phone_nothing_reaches_beyond_the_edge(server, new_page, words):
    page = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True, color_scheme="dark")
    look(page, server, **words)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.get_by_test_id("stMain").evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    assert page.evaluate(WIDEST, 390) == []
    assert page.locator(".st-key-note-keys").is_hidden()
    assert page.get_by_test_id("big").bounding_box()["y"] < page.get_by_test_id("grid").bounding_box()["y"]
    page.get_by_test_id("grid").locator("#tile-2-3").tap()
    chosen(page, layer="2", heads="3")


def strip_shares(page):
    return [text for text in page.get_by_test_id("strip").locator(".share").all_text_contents() if text]


def test_without_the_launcher_the_exact_map_rides_along_and_lost_traces_are_made_again(bare, page, visit, minilm):
    text = "a b c d e f g h " * 8
    look(page, bare, text=text.strip(), query=30)
    for layer, head in ((4, 2), (1, 7)):
        page.get_by_test_id("grid").locator(f"#tile-{layer}-{head}").click()
        expect(page).to_have_url(re.compile(f"layer={layer}&heads={head}"))
        expect(page.get_by_test_id("strip").locator(".share", has_text="≈")).to_have_count(0)
        assert strip_shares(page)
    type_in(page, "My cat is asleep.")
    drawn(page, rows=7)
    assert len(table(page)) == 7
    type_in(page, text)
    drawn(page, rows=66)
    before = choice(page)
    expect(page.get_by_test_id("strip").locator(".share", has_text="≈")).to_have_count(0)
    layer, head, query = map(int, before[:3])
    exact = core.analysis.one_map(core.trace(minilm, core.read(minilm, text)), core.Choice(layer=layer, heads=(head,)))
    said = page.get_by_test_id("strip").locator(".share").all_text_contents()
    assert any(said)
    assert all(close_to(share, exact[query, at], 3) for at, share in enumerate(said) if share)
    type_in(page, " ")
    refused(page, core.words.say("en", "heads.blank"))
    assert (choice(page), len(tokens(page))) == (before, 66)
    settled(page)
    assert not any("/attn/" in address for address in visit.addresses)
