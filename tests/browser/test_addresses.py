"""A cold server opened at any page's own address shows that page in its frame, the first time."""

import pytest
from playwright.sync_api import expect

from core import words
from pages import PAGES
from tests.browser.looking import settled
from tests.conftest import Visit, free_port, serving

pytestmark = pytest.mark.browser


def title(page):
    return words.say("en", page.title)


def open_at(page, address):
    """Open an address and wait until the menu stands and the page has been written."""
    page.goto(address)
    expect(page.get_by_test_id("stTopNavLink").or_(page.get_by_test_id("stTopNavDropdownLink")).first).to_be_visible()
    expect(page.locator("h1").first).to_be_visible()
    settled(page)


def found(page):
    """Whether the page was found and ran: neither a dialog over it nor an error in it."""
    return page.get_by_role("dialog").count() == 0 and page.get_by_test_id("stException").count() == 0


def broken(page):
    """What the browser says from now on about the policy that it was given."""
    said = []

    def keep(message):
        if "Content Security Policy" in message.text and "WebAssembly" not in message.text:
            said.append(message.text)

    page.on("console", keep)
    return said


@pytest.fixture(scope="module")
def port():
    """Where servers stand one after another: what the browser fetched from one it need not fetch from the next."""
    return free_port()


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.section)
def test_a_cold_server_shows_the_page_of_the_address(tmp_path, page, port, row):
    said = broken(page)
    with serving(tmp_path / "log", port=port) as address:
        open_at(page, f"{address}/{row.section}?lang=zh")
        assert found(page)
        expect(page).to_have_title(words.say("zh", row.title))
        assert "lang=zh" in page.url
    assert said == []


def test_below_a_sub_path_too(tmp_path, page):
    with serving(tmp_path / "log", base="/look") as address:
        open_at(page, f"{address}/{PAGES[0].section}")
        assert found(page)
        assert page.url.rstrip("/").startswith(address)
        expect(page).to_have_title(title(PAGES[0]))


@pytest.fixture(scope="module")
def walk(server, profile):
    """A walk through all pages: what broke the policy, and what was asked for."""
    page, visit = profile.new_page(), Visit()
    visit.watch(page)
    said = broken(page)
    for row in PAGES:
        open_at(page, f"{server}/{row.section}")
        expect(page).to_have_title(title(row))
    page.close()
    return said, visit


def test_nothing_breaks_the_policy(walk):
    said, _ = walk
    assert said == []


def test_every_request_stays_on_this_machine(walk):
    _, visit = walk
    assert len(visit.addresses) > 10
    assert visit.strangers() == []
    assert visit.errors == []


def test_a_stranger_would_be_noticed(page, visit):
    page.route(
        "**/*", lambda route: route.fulfill(body="<img src='http://stranger.example/p.png'>", content_type="text/html")
    )
    page.goto("http://127.0.0.1:1/")
    page.wait_for_load_state("networkidle")
    assert visit.strangers() == ["http://stranger.example/p.png"]
    visit.addresses.clear()
