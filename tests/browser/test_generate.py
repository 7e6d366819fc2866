"""The Generate page in a real browser: tokens appear, a button ends the work, another token is put in its place."""

import json
import re
import time
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from core import words
from pages.plumbing import extras
from tests.browser.looking import listen, settled, type_in
from tests.conftest import serving

pytestmark = pytest.mark.browser
SECTIONS = extras.EXTRAS["generate.show"].words


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """The address of a server on which one person writes at a time, for as long as it takes, and which says how many
    texts are being written and how many tokens were made."""
    log = tmp_path_factory.mktemp("patient") / "log"
    with serving(log, script="tests/browser/counted.py", HEADS_UP_WRITERS="1") as address:
        yield address


def counts(server):
    with urlopen(f"{server}/counts", timeout=10) as answer:
        return json.load(answer)


def until(true, tries=150):
    """Wait until something is so."""
    for _ in range(tries):
        if true():
            return
        time.sleep(0.2)
    raise AssertionError(true)


def open_at(page, server, **options):
    rest = "&".join(f"{name}={word}" for name, word in {"lang": "en", **options}.items())
    page.goto(f"{server}/generate?{rest}")


def chips(page):
    """The tokens that have appeared so far."""
    return page.get_by_test_id("live").locator(".token")


def several(page, count):
    """Wait until so many tokens have appeared."""
    expect(chips(page).nth(count - 1)).to_be_attached()


def tokens(page):
    return page.get_by_test_id("written").locator(".token .text").all_text_contents()


def halt(page):
    page.locator(".st-key-generate-halt button").click()
    expect(page.locator(".st-key-generate-go_on")).to_be_visible()
    expect(page.get_by_test_id("written")).to_be_visible()
    settled(page)


def test_tokens_appear_one_by_one_and_the_button_ends_the_work(server, page):
    open_at(page, server, **{"generate.limit": "500"})
    seen = []
    for count in (2, 5, 9):
        several(page, count)
        seen.append(chips(page).count())
    assert seen == sorted(seen)
    halt(page)
    there = tokens(page)
    assert 9 <= len(there) < 400
    time.sleep(1)
    assert tokens(page) == there
    assert chips(page).count() == 0
    page.locator(".st-key-generate-go_on button").click()
    several(page, len(there) + 2)
    halt(page)
    assert tokens(page)[: len(there)] == there


def test_a_token_that_has_just_come_brings_its_ten_next_best_and_its_row_in_every_head(server, page):
    open_at(page, server, **{"generate.limit": "60"})
    several(page, 4)
    live = page.get_by_test_id("live")
    expect(live.locator(".best tr")).to_have_count(11)
    expect(live.locator(".best tr.picked")).to_have_count(1)
    expect(live.locator(".row canvas")).to_be_visible()
    assert all(re.fullmatch(r"[\d.<]+ %", share) for share in live.locator(".token .share").all_text_contents())
    before = live.locator(".row canvas").get_attribute("data-token")
    several(page, chips(page).count() + 3)
    assert live.locator(".row canvas").get_attribute("data-token") != before
    halt(page)
    row = page.get_by_test_id("written").locator(".row canvas")
    expect(row).to_have_attribute("data-token", "too")
    page.get_by_test_id("written").locator(".token").nth(3).click()
    expect(row).to_have_attribute("data-token", tokens(page)[2])
    box = row.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 24)
    expect(page.get_by_test_id("written").locator(".said")).to_contain_text("layer 0 · head 0 · \u2068The\u2069")


def test_half_a_character_is_never_shown_as_a_broken_one(server, page):
    wire, prompt = listen(page), "Here are emojis: 🙂🎉🦊猫, again: 🙂🎉🦊猫, again: 🙂🎉"
    open_at(page, server, **{"generate.text": prompt, "generate.limit": "14"})
    while not page.get_by_test_id("written").is_visible():
        assert "\ufffd" not in "".join(page.get_by_test_id("live").all_text_contents())
        assert "\ufffd" not in page.locator("body").inner_text()
    settled(page)
    assert any(label.startswith("⟨F0 9F⟩") for label in tokens(page))
    expect(page.locator(".st-key-first-text")).to_contain_text("🦊猫")
    assert "\ufffd" not in page.get_by_test_id("written").inner_text()
    assert not wire.holds("\ufffd")
    assert not wire.holds("\\ufffd")


def test_a_prompt_that_is_typed_is_written_on(server, page):
    open_at(page, server, **{"generate.limit": "4"})
    expect(page.get_by_test_id("written")).to_be_visible()
    before = tokens(page)
    type_in(page, "Once upon a time, there")
    page.wait_for_url("**generate.text=Once**")
    expect(page.get_by_test_id("written").locator(".given").first).to_have_text("Once")
    settled(page)
    assert len(tokens(page)) == len(before) == 4
    assert tokens(page) != before


def test_a_step_is_chosen_and_another_token_is_put_in_its_place(server, page):
    open_at(page, server, **{"generate.limit": "5"})
    written = page.get_by_test_id("written")
    expect(written).to_be_visible()
    settled(page)
    written.locator(".token").nth(2).click()
    page.wait_for_url("**generate.step=2**")
    expect(written.locator(".token.now .text")).to_have_text(tokens(page)[2])
    expect(page.get_by_test_id("map")).to_have_attribute("data-query", "12")
    first = tokens(page)
    other = written.locator("tr:not(.picked) th").nth(1).inner_text()
    written.locator("tr:not(.picked) .force").nth(1).click()
    page.wait_for_url("**generate.forced=**")
    expect(written.locator(".token").nth(2).locator(".text")).to_have_text(other)
    settled(page)
    assert tokens(page)[:2] == first[:2]
    expect(page.locator(".st-key-note-trunk")).to_be_visible()


def test_who_comes_second_waits_and_begins_when_the_first_goes_away(patient, new_tab):
    first, second = new_tab(), new_tab()
    open_at(first, patient, **{"generate.limit": "512"})
    several(first, 2)
    open_at(second, patient, **{"generate.limit": "3"})
    expect(second.get_by_text(words.say("en", "generate.queue", ahead=1))).to_be_visible()
    first.close()
    expect(second.get_by_test_id("written")).to_be_visible()
    settled(second)
    assert len(tokens(second)) == 3


def test_three_at_once_wait_visibly_all_finish_and_see_only_their_own(patient, new_tab):
    prompts = {"zebra": 320, "violin": 6, "glacier": 6}  # the first must still be writing when the third has come
    visitors = {}
    for ahead, (word, limit) in enumerate(prompts.items()):
        page = visitors[word] = new_tab()
        wire = listen(page)
        visitors[word] = page, wire
        open_at(page, patient, **{"generate.text": f"The {word} was", "generate.limit": str(limit)})
        if ahead:
            expect(page.get_by_text(words.say("en", "generate.queue", ahead=ahead))).to_be_visible()
        else:
            several(page, 2)
    texts = {}
    for word, (page, _) in visitors.items():
        expect(page.get_by_test_id("written")).to_be_visible(timeout=120_000)
        settled(page)
        assert page.get_by_test_id("written").locator(".given").all_text_contents()[-2] in word
        assert len(tokens(page)) == prompts[word]
        texts[word] = page.locator(".st-key-first-text").inner_text()
    for word, (_, wire) in visitors.items():
        others = [(other, text) for other, text in texts.items() if other != word]
        assert all(not wire.holds(other) and not wire.holds(text) for other, text in others)


def test_closing_the_tab_ends_the_work(patient, page):
    open_at(page, patient, **{"generate.limit": "512"})
    several(page, 3)
    assert counts(patient)["writing"] == 1
    page.close()
    until(lambda: counts(patient)["writing"] == 0)
    made = counts(patient)["made"]
    time.sleep(1.5)
    assert counts(patient) == {"writing": 0, "made": made}
    assert made < 512


def test_the_stop_button_ends_the_work_within_a_step(patient, page):
    open_at(page, patient, **{"generate.limit": "512"})
    several(page, 3)
    before = counts(patient)["made"]
    halt(page)
    until(lambda: counts(patient)["writing"] == 0)
    made = counts(patient)["made"]
    assert made - before < 100
    time.sleep(1.5)
    assert counts(patient)["made"] == made


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_in_chinese_survives_a_reload(server, page, section):
    open_at(page, server, **{"lang": "zh", "generate.show": section, "generate.limit": "3"})
    heading = page.locator("h3").first
    expect(heading).to_have_text(words.say("zh", f"generate.{section}_title"))
    settled(page)
    page.reload()
    expect(heading).to_have_text(words.say("zh", f"generate.{section}_title"))
    settled(page)
    assert page.get_by_test_id("stException").count() == 0
    assert f"generate.show={section}" in page.url or section == SECTIONS[0]


@pytest.mark.parametrize("section", SECTIONS)
def test_nothing_is_wider_than_a_phone(server, phone, section):
    open_at(phone, server, **{"generate.show": section, "generate.limit": "3"})
    expect(phone.get_by_text(words.say("en", "generate.csv")).first).to_be_visible()
    settled(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
