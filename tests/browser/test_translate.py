"""Translate in a real browser: tokens appear one by one, a pointed one shows where it came from, a link restores it."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.plumbing.translate import language
from tests.browser.looking import big, settled, state

pytestmark = pytest.mark.browser

TIRED, WIDE = (language.pairs()[0].sentence(which) for which in (0, 1))
IL = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
ELLE = "L'animal n'a pas traversé la rue parce qu'elle était trop large."


def translate(page, server, **words):
    page.goto(f"{server}/translate?{urlencode({f'translate.{name}': word for name, word in words.items()})}")


def whole(page):
    return page.get_by_test_id("whole")


def rested(page, step):
    """Wait until the animation has come to rest at a step."""
    picture = page.get_by_test_id("writing")
    expect(picture).to_have_attribute("data-step", str(step))
    expect(picture).not_to_have_class("writing playing")
    settled(page)


def chip(page, label):
    return page.locator(".writes button.token", has_text=label)


def shares(page):
    """What is written below the tokens of the source."""
    return page.locator(".reads .token .share").all_text_contents()


def test_tokens_appear_one_after_another_and_rest_where_il_is_written(page, server):
    translate(page, server)
    expect(whole(page)).to_have_text(IL)
    rested(page, 10)
    expect(page.get_by_test_id("line").locator(".added")).to_have_text("il")
    expect(page.locator(".best tr").first).to_contain_text("il")
    expect(page.locator(".best tr")).to_have_count(10)
    assert state(page)["query"] == "10"


def test_a_pointed_token_shows_what_it_came_from_and_lets_go(page, server):
    translate(page, server)
    rested(page, 10)
    before = shares(page)
    chip(page, "rue").hover()
    expect(page.get_by_test_id("line").locator(".added")).to_have_text("rue")
    assert shares(page) != before
    assert page.locator(".lines path").count() > 0
    page.mouse.move(2, 2)
    expect(page.get_by_test_id("line").locator(".added")).to_have_text("il")
    assert shares(page) == before


def test_a_chosen_step_moves_the_map_and_is_in_the_link(page, server):
    translate(page, server)
    rested(page, 10)
    chip(page, "rue").click()
    rested(page, 7)
    expect(page).to_have_url(re.compile(re.escape("/translate?translate.step=7&translate.map=cross.0.mean.7.-")))
    assert state(page)["query"] == "7"
    page.reload()
    rested(page, 7)
    expect(big(page)).to_be_visible()


def test_a_row_of_the_map_is_a_step(page, server):
    translate(page, server, step=3)
    rested(page, 3)
    page.get_by_test_id("big").focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("writing")).to_have_attribute("data-step", state(page)["query"])


def test_one_word_changes_and_il_becomes_elle(page, server):
    translate(page, server)
    rested(page, 10)
    page.get_by_role("button", name="… wide").click()
    expect(whole(page)).to_have_text(ELLE)
    rested(page, 10)
    expect(page.get_by_test_id("line").locator(".added")).to_have_text("elle")


def test_markup_in_a_sentence_stays_letters(page, server):
    translate(page, server, text="The <b>animal</b> was <img src=x> tired.")
    page.get_by_role("button", name="Translate it anyway").click()
    expect(page.locator(".reads .token.unknown").first).to_be_visible()
    assert page.locator("img[src='x']").count() == 0


def test_a_row_is_moved_by_the_slider(page, server):
    translate(page, server, show="wheel", moved=0)
    expect(page.get_by_text("The answer did not change")).to_be_visible()
    settled(page)
    page.get_by_role("slider").press("End")
    expect(page.get_by_text("The answer changed: il → elle, fatigué → fatiguée")).to_be_visible()


def test_nothing_moves_for_those_who_want_it_still_nor_on_a_phone_wider_than_it_is(phone, server):
    phone.emulate_media(reduced_motion="reduce", color_scheme="dark")
    translate(phone, server)
    rested(phone, 10)
    wide = phone.evaluate("document.scrollingElement.scrollWidth - innerWidth")
    assert wide <= 0
    box = phone.get_by_test_id("writing").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
