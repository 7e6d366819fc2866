"""Inside in a real browser: formulas and pictures are drawn, a choice is one run and sends what it changes, a reload
restores."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.looking import listen

pytestmark = pytest.mark.browser


def opened(page, address):
    page.goto(address)
    page.get_by_role("heading", name=re.compile("Where does a number come from")).wait_for()
    page.get_by_text("The proof").wait_for()


def test_formulas_and_charts_are_drawn_and_the_page_is_not_wider_than_a_phone(server, phone):
    opened(phone, f"{server}/inside")
    phone.locator(".katex-display").first.wait_for()
    phone.locator(".sketch path.above").first.wait_for()
    assert phone.locator(".katex-error").count() == 0
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_another_section_is_in_the_address_and_a_reload_restores_it(server, page):
    opened(page, f"{server}/inside?query=10&key=8")
    page.get_by_text("gives “\u2068street\u2069” 0.050").wait_for()
    page.get_by_text("Knobs", exact=True).click()
    page.get_by_text(re.compile("of this head’s attention went elsewhere")).wait_for()
    page.wait_for_url(re.compile("inside.show=knobs"))
    page.reload()
    page.get_by_text(re.compile("of this head’s attention went elsewhere")).wait_for()


def picture(page, title):
    return page.locator(".sketch", has=page.get_by_text(title, exact=True))


def another(page, wire, box):
    """Choose the next one in a box, and return what came: the kinds of messages, and of the deltas what each is."""
    page.get_by_role("combobox", name=box, exact=True).click()
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowDown")
    address = page.url
    page.wait_for_timeout(300)
    wire.messages.clear()
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(address)
    page.wait_for_timeout(300)
    came = [ForwardMsg.FromString(raw) for raw in wire.messages]
    deltas = [message.delta.new_element for message in came if message.WhichOneof("type") == "delta"]
    return [message.WhichOneof("type") for message in came], [delta.WhichOneof("type") or "block" for delta in deltas]


def test_another_key_is_one_run_that_sends_its_own_steps_and_another_query_one_for_all(server, page):
    wire = listen(page)
    opened(page, f"{server}/inside?query=10&key=7")
    before = {title: picture(page, title).inner_html() for title in ("Which dimensions carry the sum", "Shares")}
    kinds, elements = another(page, wire, "Key: is looked at")
    page.get_by_text("gives “\u2068street\u2069” 0.050").wait_for()
    assert kinds.count("new_session") == kinds.count("script_finished") == 1
    assert (elements.count("bidi_component"), elements.count("selectbox")) == (2, 1)
    assert not {"plotly_chart", "dataframe"} & set(elements)
    assert elements.index("bidi_component") < elements.index("selectbox")  # first what is in view
    assert elements[: elements.index("bidi_component")].count("markdown") == 1
    assert len(elements) < 45
    changed = {title for title, inside in before.items() if picture(page, title).inner_html() != inside}
    assert changed == {"Which dimensions carry the sum"}
    kinds, elements = another(page, wire, "Query: looks")
    assert kinds.count("new_session") == kinds.count("script_finished") == 1
    assert not {"plotly_chart", "dataframe"} & set(elements)
    assert elements.count("selectbox") == 2
    assert len(elements) < 100


def test_where_one_looks_is_chosen_in_one_row_of_boxes(server, page):
    opened(page, f"{server}/inside")
    boxes = [page.get_by_role("combobox", name=name, exact=True) for name in ("Layer", "Head", "Query: looks")]
    boxes.append(page.get_by_role("combobox", name="Key: is looked at"))
    assert len({round(box.bounding_box()["y"]) for box in boxes}) == 1


def test_a_picture_says_its_numbers_by_keys_and_gives_them_as_a_file(server, page):
    opened(page, f"{server}/inside?query=10&key=8")
    one = picture(page, "m, the output of the head")
    one.get_by_role("img").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    said = one.get_by_role("status").inner_text()
    with page.expect_download() as download:
        one.get_by_role("button", name="Numbers as CSV").click()
    names, *lines = download.value.path().read_text(encoding="utf-8").splitlines()
    numbers = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    assert (names, numbers.shape) == ("dimension,value", (32, 2))
    assert said == f"dimension 1 · value {numbers[1, 1]:.4g}".replace("-", "−")
    with page.expect_download() as download:
        picture(page, "Shares").get_by_role("button", name="Save as SVG").click()
    kept = download.value.path().read_text(encoding="utf-8")
    assert "data:image/png" in kept
    assert ">Shares</text>" in kept


def test_the_row_is_a_table_in_which_the_key_is_marked_and_which_comes_as_a_file(server, page):
    wire = listen(page)
    opened(page, f"{server}/inside?query=10&key=7")
    row = page.locator(".sketch", has=page.get_by_role("columnheader", name="exp(score"))
    expect(row.get_by_role("rowheader")).to_have_count(16)
    expect(row.locator("[aria-current] th")).to_have_text("7  the")
    another(page, wire, "Key: is looked at")
    expect(row.locator("[aria-current]")).to_have_count(1)
    expect(row.locator("[aria-current] th")).to_have_text("8  street")
    share = row.locator("[aria-current] td").last.inner_text()
    with page.expect_download() as download:
        row.get_by_role("button", name="Numbers as CSV").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "token,score,exp(score − largest),share"
    assert lines[9].startswith("8  street,")
    assert f"{float(lines[9].split(',')[-1]):.4g}" == share
