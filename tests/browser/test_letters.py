"""What was typed and what a vocabulary holds are letters: in the strip, at the pointer, in tables, in the chart."""

import csv
import io

import pytest
from playwright.sync_api import expect

import core
from tests.browser.conftest import FOLDER, PIECES
from tests.browser.looking import look, point_at, settled, table, tokens

pytestmark = pytest.mark.browser
MARKUP = 'a<b<c <img src=x onerror=alert(1)> " onmouseover="x <s> </s> <b>hi</b> &lt;b&gt; #000004 $x^2$'
ALIVE = "img[src='x'], img[src*='stranger'], a[href*='stranger'], [onerror], [onmouseover], [onclick], .katex"
BLANK = "\u2068\u2069\u200b\u202e \u00a0\t\n\u2800\u3164\u115f\ue000\u200d"


def isolated(label):
    return f"\u2068{label}\u2069"


def chart(page):
    """The names along the two axes of the chart as the browser draws them, {place: label}."""
    page.get_by_text("A figure to keep").click()
    ticks = page.locator(".js-plotly-plot .ytick text")
    expect(ticks.first).to_be_visible()
    settled(page)
    across = placed(page.locator(".js-plotly-plot .xtick text").all_text_contents())
    down = placed(ticks.all_text_contents())
    assert across
    assert all(across[at] == down[at] for at in across.keys() & down.keys())
    return across | down


def placed(names):
    """The names of an axis by their places; a label that is its own place stands alone."""
    parts = [name.partition(" ") for name in names]
    return {int(number): label.strip("\u2068\u2069") or number for number, _, label in parts}


def bare_label(name):
    """A name without the small digits that say which of its like it is."""
    return name.rstrip("₀₁₂₃₄₅₆₇₈₉")


def hovered(page):
    """What the chart says about the cell in its middle."""
    page.locator(".js-plotly-plot .nsewdrag").first.hover()
    text = page.locator(".js-plotly-plot .hoverlayer text").first
    expect(text).to_be_visible()
    return text.text_content()


def numbers(page):
    """The first line and the first column of the CSV."""
    with page.expect_download() as download:
        page.get_by_role("button", name=core.words.say("en", "heads.keep_csv")).click()
    lines = list(csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    return lines[0][1:], [line[0] for line in lines[1:]]


def test_markup_that_was_typed_is_letters(server, page, minilm):
    labels = list(core.read(minilm, MARKUP).labels)
    look(page, server, text=MARKUP)
    assert page.get_by_role("textbox").first.input_value() == MARKUP
    assert tokens(page) == labels
    assert [bare_label(row[1]) for row in table(page)] == [isolated(label) for label in labels]
    assert len({row[1] for row in table(page)}) == len(labels)
    marked = core.figures.marked(labels)
    assert len(set(marked)) == len(labels)
    assert chart(page).items() <= dict(enumerate(marked)).items()
    assert [list(names) for names in numbers(page)] == [marked, marked]
    assert page.locator(ALIVE).count() == 0


def test_a_vocabulary_of_markup_is_letters(bare, page):
    labels = ["[CLS]", *PIECES, "[SEP]"]
    shown = [label.replace("\u202e", "⟨U+202E⟩").replace(" ", "·") for label in labels]
    look(page, bare, model=FOLDER, text="|".join(PIECES), layer=1, heads=2)
    assert (
        FOLDER
        in page.get_by_test_id("stSelectbox").first.inner_text() + page.get_by_role("combobox").first.input_value()
    )
    assert tokens(page) == shown
    assert [row[1] for row in table(page)] == [isolated(label) for label in shown]
    names, places, _share = point_at(page, 6, 1, (23, 23))
    assert (names, places) == (f"{isolated(labels[6])} → {isolated('<s>')}", "6 → 1")
    drawn_names = chart(page)
    assert all(label == shown[at] or "…" in label for at, label in drawn_names.items())
    assert "11" in hovered(page)
    assert [list(names) for names in numbers(page)] == [shown, shown]
    for title in ("What went in", "How this model was loaded"):
        page.get_by_text(title).click()
    settled(page)
    page.get_by_role("link", name="Models").click()
    expect(page.get_by_text(FOLDER, exact=True)).to_be_visible()
    assert page.locator(ALIVE).count() == 0


def test_what_looks_like_a_number_or_a_date_is_letters_too(server, page):
    text = "constructor nan null 1 2 10 1 7.0 7.0 2024-01-02 2024-01-02"
    look(page, server, text=text, units="words", special="hide")
    shown = tokens(page)
    assert "".join(shown) == text.replace(" ", "")
    assert chart(page).items() <= dict(enumerate(core.figures.marked(shown))).items()
    assert shown.count("1") == 2


def test_right_to_left_words_stay_within_themselves(server, page):
    look(page, server, text="שלום עולם, hello مرحبا", units="words", special="hide")
    assert tokens(page) == ["שלום", "עולם", ",", "hello", "مرحبا"]
    line = page.get_by_test_id("strip").locator(".tokens")
    assert line.get_attribute("dir") == "rtl"
    places = (
        page.get_by_test_id("strip")
        .locator(".token")
        .evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
    )
    assert places == sorted(places, reverse=True)
    names, *_ = point_at(page, 0, 4, (5, 5))
    assert names == "\u2068שלום\u2069 → \u2068مرحبا\u2069"


ODD = "a  b\n\tc \u00a0 \u2800 \u3164 \u202e \ue000 \u115f 👨\u200d👩\u200d👧 👍🏽 e\u0301 猫"


def readable(labels):
    return all(label.strip(BLANK) and not {"\ufffd", "\u202e"} & set(label) for label in labels)


def test_no_token_is_blank_and_no_character_is_broken(server, page):
    look(page, server, model="smollm2", text=ODD)
    assert readable(tokens(page))
    assert readable(row[1] for row in table(page))
    byte = page.get_by_test_id("strip").locator(".token.byte", has_text="⟨F0 9F⟩\u202f1-2/4").first
    assert byte.get_attribute("title") == "👨"
    page.get_by_role("radio", name="Characters").click()
    expect(page.get_by_test_id("strip").locator(".token.byte")).to_have_count(0)
    assert readable(tokens(page))
    assert readable(chart(page).values())
    assert {"👨\u200d👩\u200d👧", "👍🏽", "e\u0301", "猫", "⟨U+2800⟩", "⟨U+202E⟩"} <= set(tokens(page))


def test_unknown_pieces_keep_the_text_they_stand_for(server, page):
    look(page, server, text="猫 👍🏽 ok")
    assert tokens(page) == ["[CLS]", "猫*", "👍🏽*", "ok", "[SEP]"]
    names, *_ = point_at(page, 1, 2, (5, 5))
    assert names == "\u2068猫*\u2069 → \u2068👍🏽*\u2069"
    expect(page.get_by_text(core.words.say("en", "notes.unknown", count=2))).to_be_visible()
