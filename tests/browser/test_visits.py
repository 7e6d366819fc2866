"""A visit keeps what was chosen, in the session and in its link; two visits never meet."""

import re
import urllib.error
import urllib.request
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

import core
from tests.browser.looking import address, choice, drawn, listen, look, point_at, refused, settled, tokens, type_in

pytestmark = pytest.mark.browser
SENTENCE = "A tired dog saw the cat."


def choose(page, layer, head):
    page.get_by_test_id("grid").locator(f"#tile-{layer}-{head}").click()


def chosen_units(page):
    return page.get_by_test_id("strip").locator(".token.query .text").all_text_contents()


def test_a_link_gives_the_same_bytes_and_the_same_choice_in_a_fresh_profile(server, page, new_page):
    wire = listen(page)
    look(page, server)
    type_in(page, SENTENCE)
    drawn(page, rows=9)
    page.get_by_role("radio", name="Words").click()
    page.get_by_role("radio", name="Hide").click()
    expect(page.get_by_test_id("map")).to_have_attribute("data-rows", "7")
    choose(page, 4, 7)
    page.get_by_test_id("strip").locator(".token", has_text="cat").click()
    page.get_by_test_id("strip").locator(".token", has_text="dog").click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"layer=4&heads=7&query=\d+&key=3"))
    settled(page)
    other = new_page()
    heard = listen(other)
    other.goto(page.url)
    drawn(other, rows=7)
    assert heard.given("heads_map") == wire.given("heads_map")
    assert choice(other) == choice(page) == ("4", "7", "6", "3")
    assert tokens(other) == tokens(page)


def test_another_page_and_back_keeps_all_and_a_new_tab_starts_clean(server, page, new_tab):
    """H77: sentence, model, layer and head are kept over another page; a new tab has none of them."""
    look(page, server, model="smollm2")
    type_in(page, SENTENCE)
    drawn(page, rows=7)
    choose(page, 5, 2)
    expect(page).to_have_url(re.compile("layer=5&heads=2"))
    settled(page)
    before = choice(page)
    page.get_by_role("link", name="Models").click()
    expect(page.locator("h1")).to_have_text(core.words.say("en", "models.question"))
    page.get_by_role("link", name="Heads").click()
    drawn(page, rows=7)
    assert choice(page) == before
    assert page.get_by_role("textbox").first.input_value() == SENTENCE
    assert page.get_by_role("combobox").first.input_value() == "SmolLM2-135M-Instruct"
    tab = new_tab()
    look(tab, server)
    assert choice(tab) == ("3", "1", "10", "2")
    assert "animal" in tokens(tab)


def test_a_choice_is_not_lost_by_turning_to_another_page_at_once(server, page):
    look(page, server)
    links = [page.get_by_role("link", name=name) for name in ("Models", "Heads")]
    tile = page.get_by_test_id("grid").locator("#tile-2-4").element_handle()
    page.evaluate("both => both.forEach(one => one.click())", [tile, links[0].element_handle()])
    expect(page.locator("h1")).to_have_text(core.words.say("en", "models.question"))
    links[1].click()
    drawn(page)
    assert choice(page)[:2] == ("2", "4")


def test_a_cell_that_is_clicked_is_chosen_and_only_the_label_sorts(server, page):
    look(page, server)
    tiles = page.get_by_test_id("grid").locator(".tile")
    places = tiles.evaluate_all("all => all.map(one => one.id)")
    point_at(page, 7, 4, (16, 16))
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile("query=7&key=4"))
    settled(page)
    assert tiles.evaluate_all("all => all.map(one => one.id)") == places
    order = page.get_by_test_id("order")
    order.click()
    expect(page).to_have_url(re.compile("sort=1"))
    settled(page)
    best = page.get_by_role("button", name=re.compile(r"^L\d+ · H\d+")).first.text_content()
    layer, head = re.findall(r"\d+", best)[:2]
    assert tiles.first.get_attribute("id") == f"tile-{layer}-{head}"
    order.click()
    expect(tiles.first).to_have_id("tile-0-0")
    expect(page).not_to_have_url(re.compile("sort=1"))


def test_two_visits_at_once_never_see_each_other(server, new_page):
    pages = [new_page(), new_page()]
    wires = [listen(page) for page in pages]
    words = ["zebra", "walrus"]
    for page, word in zip(pages, words, strict=True):
        page.goto(address(server, text=f"My {word} sings."))
    for page, word in zip(pages, words, strict=True):
        drawn(page)
        type_in(page, f"Your {word} is asleep.")
    for page in pages:
        drawn(page, rows=7 if page is pages[0] else 8)
    for page, wire, own, foreign in zip(pages, wires, words, reversed(words), strict=True):
        assert own in page.locator("body").inner_text() + page.get_by_role("textbox").first.input_value()
        assert wire.holds(own)
        assert not wire.holds(foreign)


HOSTILE = {
    "layer": "99",
    "heads": "-1",
    "query": "1e9",
    "key": "\u0663",
    "model": "evil",
    "side": "cross",
    "units": "<script>",
    "palette": "constructor",
    "lang": "../en",
    "sort": "<b>",
    "positions.length": "9" * 400,
}


def test_an_address_that_says_nonsense_opens_what_a_bare_one_opens(server, page):
    look(page, server, **HOSTILE)
    assert choice(page) == ("3", "1", "10", "2")
    assert page.url.rstrip("/") == server
    page.goto(f"{server}/?{urlencode({'text': 'Is it?'})}&layer=2&layer=1&heads=1,1,2&heads=%FF%FE")
    drawn(page, rows=5)
    assert page.get_by_test_id("stException").count() == 0


def test_half_a_character_in_a_link_is_replaced_and_said(server, page):
    page.goto(f"{server}/?text=a%ED%A0%80b%FF")
    drawn(page)
    assert page.get_by_role("textbox").first.input_value() == "a\ufffd\ufffd\ufffdb\ufffd"
    expect(page.get_by_text(core.words.say("en", "notes.replaced", count=4))).to_be_visible()


def test_what_cannot_be_read_is_said_and_the_last_picture_stays(server, page):
    look(page, server)
    before = tokens(page)
    said = {
        "": core.words.say("en", "heads.blank"),
        " \n\t ": core.words.say("en", "heads.blank"),
        "word " * 700: core.words.say("en", "errors.too_long", came=702, allowed=512),
    }
    for text, why in said.items():
        type_in(page, text)
        refused(page, why)
        assert page.get_by_role("textbox").first.input_value() == text
        assert tokens(page) == before
    type_in(page, "x" * 10_000)
    drawn(page, rows=3)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    type_in(page, "a\x00b\x1b[31m\x07 c")
    drawn(page, rows=7)
    assert chosen_units(page) == ["c"]
    assert page.get_by_test_id("stException").count() == 0


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


WRONG = (
    "",
    "layer=3",
    "heads=1",
    "layer=-1&heads=0",
    "layer=6&heads=0",
    "layer=999999&heads=0",
    "layer=0&heads=12",
    "layer=0&heads=" + "1," * 5000,
    "layer=%D9%A3&heads=0",
    "layer=0&heads=0&units=x",
    "layer=0&heads=0&special=%00",
    "layer=0&heads=0&side=cross",
    "layer=0&heads=0&side=%FF",
    "query=0",
    "query=0&key=9999",
    "query=-1&key=0",
    "query=" + "9" * 5000 + "&key=0",
)


def test_the_route_of_single_maps_answers_nonsense_with_a_refusal(server, page):
    with page.expect_response(lambda answer: "/attn/" in answer.url) as asked:
        look(page, server, text="a b c d " * 20, layer=2, heads=3)
    root = asked.value.url.partition("?")[0]
    assert status(f"{root}?layer=2&heads=3") == 200
    assert {words: status(f"{root}?{words}") for words in WRONG} == dict.fromkeys(WRONG, 400)
    for key in ("x", "..%2f..%2fetc", "%00", "a" * 3000):
        assert status(f"{server}/attn/{key}?layer=0&heads=0") in {400, 404}
