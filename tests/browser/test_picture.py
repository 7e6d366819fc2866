"""The picture is the numbers: every cell in its place, row 0 on top, masked cells apart, labels that can be read."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import core
from tests.browser.looking import (
    cells,
    choice,
    close_to,
    drawn,
    grey,
    lightness,
    look,
    point_at,
    settled,
    table,
    the_map,
    tokens,
    type_in,
)
from tests.conftest import serving

pytestmark = pytest.mark.browser
REPEATED = "the cat sat on the mat"


@pytest.fixture(scope="module")
def roomy(tmp_path_factory):
    """The address of a page that app.py alone serves and that keeps its traces."""
    with serving(tmp_path_factory.mktemp("roomy") / "log", script="app.py") as address:
        yield address


@pytest.fixture(params=["server", "roomy"])
def place(request):
    """A page with the launcher's route, and one without."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def ours(minilm):
    def shares(text, layer, head):
        trace = core.trace(minilm, core.read(minilm, text))
        return core.analysis.one_map(trace, core.Choice(layer=layer, heads=(head,)))

    return shares


def named(page, at):
    """What a token is called where another is written alike: its label, and which of its like it is."""
    return f"\u2068{tokens(page)[at]}\u2069" + {1: "₁", 5: "₂"}.get(at, "")


def in_order(found, exact):
    """Whether lighter means less, cell by cell: the colours of light Ink run from light to dark."""
    order = np.argsort(exact, axis=None, kind="stable")
    return (np.diff(lightness(found).reshape(-1)[order]) < 1.6).all()


def test_every_cell_of_a_repeated_word_is_where_its_number_is(server, page, ours):
    exact = ours(REPEATED, 3, 1)
    look(page, server, text=REPEATED, layer=3, heads=1)
    found = cells(page, 8, 8)
    assert in_order(found, exact)
    assert not in_order(found[::-1], exact)
    assert not in_order(found.swapaxes(0, 1), exact)
    assert tokens(page) == ["[CLS]", *REPEATED.split(), "[SEP]"]
    for row, column in ((1, 5), (5, 1), (0, 5), (7, 0)):
        names, places, share = point_at(page, row, column, (8, 8))
        assert names == f"{named(page, row)} → {named(page, column)}"
        assert places == f"{row} → {column}"
        assert close_to(share, exact[row, column])


def test_a_model_that_looks_back_fills_the_lower_left_triangle(server, page):
    look(page, server, model="smollm2", text=REPEATED, layer=13, heads=8)
    found = cells(page, 6, 6)
    assert (grey(found) == np.triu(np.ones((6, 6), dtype=bool), 1)).all()
    assert lightness(found)[0, 0] == lightness(found).min()
    assert point_at(page, 0, 0, (6, 6))[-1] == "1.0000"
    assert point_at(page, 0, 3, (6, 6))[-1] == core.words.say("en", "map.masked")


def test_the_table_says_the_numbers_of_the_picture(server, page, ours):
    exact = ours(REPEATED, 2, 4)
    look(page, server, text=REPEATED, layer=2, heads=4, query=5)
    rows = table(page)
    assert [row[1] for row in rows] == [named(page, at) for at in range(8)]
    assert page.get_by_test_id("reading").text_content() == core.words.say(
        "en", "map.reading_query", query=named(page, 5)
    )
    assert all(close_to(row[-1], exact[5, at]) for at, row in enumerate(rows))
    page.get_by_role("button", name=core.words.say("en", "map.table_whole")).click()
    whole = np.array([[float(text) for text in row[1:]] for row in table(page)])
    assert np.abs(whole - exact).max() < 0.6e-4


def test_a_shorter_sentence_leaves_nothing_of_the_longer_one(server, page):
    """H91: labels and cells of the sentence before are gone, in the map, its table and its chart."""
    look(page, server)
    table(page)
    type_in(page, "Hi.")
    drawn(page, rows=4)
    expect(page.get_by_test_id("table")).to_have_attribute("open", "")
    assert tokens(page) == ["[CLS]", "hi", ".", "[SEP]"]
    assert len(table(page)) == 4
    assert not grey(cells(page, 4, 4)).any()
    page.get_by_text("A figure to keep").click()
    expect(page.locator(".js-plotly-plot .ytick text")).to_have_count(4)
    type_in(page, "Oh no, hi there.")
    drawn(page, rows=8)
    expect(page.locator(".js-plotly-plot .ytick text")).to_have_count(8)


def labels_said(page):
    return page.get_by_test_id("notes").text_content()


def test_labels_are_thinned_at_a_stated_step(server, page):
    stated = re.compile(r"One row in \d+ is named\. One column in \d+ is named\.")
    for words, thinned in ((8, False), (58, True), (510, True)):
        look(page, server, text="a " * words)
        assert bool(stated.search(labels_said(page))) == thinned, words
        last = words + 1
        assert point_at(page, last, 0, (words + 2, words + 2))[1] == f"{last} → 0"


def test_the_theme_changes_neither_scale_nor_palette(server, page):
    """H92: the palette that was chosen is drawn in light and in dark."""
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        look(page, server, text=REPEATED, layer=3, heads=1)
        for palette in ("Viridis", "Cividis", "Magma"):
            page.get_by_role("radio", name=palette).click()
            expect(page).to_have_url(re.compile(palette.lower()))
            settled(page)
            found[scheme, palette] = cells(page, 8, 8)
    for palette in ("Viridis", "Cividis", "Magma"):
        assert (found["light", palette] == found["dark", palette]).all()
        assert len(np.unique(found["light", palette].reshape(-1, 3), axis=0)) > 20


COLOURS = "node => [getComputedStyle(node).color, getComputedStyle(document.querySelector('.stApp')).backgroundColor]"


def contrast(place):
    """How far the lightness of a text is from that of the page."""
    told = [re.findall(r"[\d.]+", text)[:3] for text in place.evaluate(COLOURS)]
    ink, paper = lightness(np.array(told, dtype=float))
    return abs(ink - paper)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_on_the_page_and_in_the_strip(server, page, scheme):
    page.emulate_media(color_scheme=scheme)
    look(page, server)
    assert contrast(page.get_by_test_id("reading")) > 120
    assert contrast(page.get_by_test_id("strip").locator(".token .text").nth(5)) > 120


@pytest.fixture(scope="module")
def large(smollm2):
    """A text whose maps are too large to be sent, and the first of them."""
    text = ("a b " * 270).strip()
    trace = core.trace(smollm2, core.read(smollm2, text))
    return text, core.analysis.one_map(trace, core.Choice(layer=0, heads=(0,)))


def test_in_a_map_too_large_to_be_sent_every_share_that_is_said_is_exact(place, page, large):
    text, exact = large
    look(page, place, model="smollm2", text=text, layer=0, heads=0, query=6)
    drawn(page, rows=540)
    strip = page.get_by_test_id("strip").locator(".share")
    expect(strip.filter(has_text=re.compile(r"^\.\d{3}$"))).not_to_have_count(0)
    said = {at: text for at, text in enumerate(strip.all_text_contents()) if text}
    assert all(close_to(text, exact[6, at], 3) for at, text in said.items())
    point_at(page, 300, 120, (540, 540))
    share = page.get_by_test_id("tip").locator(".value")
    expect(share).not_to_have_text(re.compile("[≈≤]"))
    row, column = map(int, page.get_by_test_id("tip").locator(".more").text_content().split(" → "))
    assert close_to(share.text_content(), exact[row, column])
    shown = page.get_by_test_id("strip")
    top = shown.evaluate("node => node.scrollTop")
    page.mouse.down()
    page.mouse.up()
    expect(the_map(page)).not_to_have_attribute("data-query", "6")
    token, box = shown.locator(".token.query").bounding_box(), shown.bounding_box()
    assert shown.evaluate("node => node.scrollTop") > top
    assert box["y"] < token["y"]
    assert token["y"] + token["height"] < box["y"] + box["height"]


def test_a_map_that_comes_later_is_exact_when_it_has_come(server, page, ours):
    text = "a b c d e f g h " * 12
    exact = ours(text, 3, 1)
    look(page, server, text=text, layer=3, heads=1, query=50)
    strip = page.get_by_test_id("strip").locator(".share")
    expect(strip.filter(has_text="≈")).to_have_count(0)
    numbers = {at: said for at, said in enumerate(strip.all_text_contents()) if said}
    assert numbers
    assert all(close_to(said, exact[50, at], 3) for at, said in numbers.items())
    assert choice(page) == ("3", "1", "50", "")
    assert the_map(page).get_attribute("data-rows") == str(len(exact))
