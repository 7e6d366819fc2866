"""A visit to the Heads page in a real browser: what is drawn, what came over the wire, and how to get there."""

import math
import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

expect.set_options(timeout=30_000)  # these machines are shared

# Which pixels of the big map's canvas are cells, and the colour at the middle of each where `colours` is wanted.
CELLS = """(canvas, [rows, columns, wanted]) => {
  const { width, height } = canvas, image = canvas.getContext("2d").getImageData(0, 0, width, height);
  const pixels = new Uint32Array(image.data.buffer), filled = (pixel) => pixel >>> 24 > 0;
  const first = pixels.findIndex(filled), last = pixels.findLastIndex(filled);
  const left = first % width, right = last % width;
  const top = Math.floor(first / width), bottom = Math.floor(last / width), colours = [];
  const across = (right + 1 - left) / columns, down = (bottom + 1 - top) / rows;
  for (let row = 0; wanted && row < rows; row++) for (let column = 0; column < columns; column++) {
    const at = width * Math.floor(top + (row + 0.45) * down) + Math.floor(left + (column + 0.45) * across);
    colours.push(...[0, 8, 16].map((shift) => (pixels[at] >>> shift) & 255));
  }
  return { left, top, across, down, colours, ratio: width / canvas.getBoundingClientRect().width };
}"""


@dataclass
class Wire:
    """What came over a page's websocket."""

    messages: list[bytes] = field(default_factory=list)

    def given(self, component: str) -> bytes:
        """The bytes that a component was given last."""
        for raw in reversed(self.messages):
            message = ForwardMsg()
            message.ParseFromString(raw)
            element = message.delta.new_element.bidi_component
            if message.WhichOneof("type") == "delta" and element.component_name == component:
                return element.bytes or element.json.encode()
        raise LookupError(component)

    def holds(self, text: str) -> bool:
        """Whether a text came at all, in any encoding of its bytes."""
        return any(text.encode() in message for message in self.messages)


def listen(page) -> Wire:
    """Keep what comes over the websockets of a page from now on."""
    wire = Wire()

    def keep(content):
        if isinstance(content, bytes):
            wire.messages.append(content)

    page.on("websocket", lambda channel: channel.on("framereceived", keep))
    return wire


def address(server, **words):
    """The address of the Heads page that says these words."""
    return f"{server}/?{urlencode(words)}" if words else f"{server}/"


def look(page, server, **words):
    """Open the Heads page and wait for its picture."""
    page.goto(address(server, **words))
    drawn(page)


def settled(page):
    """Wait until no script of this page runs."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def the_map(page):
    """The map's own element."""
    return page.get_by_test_id("map")


def drawn(page, rows=None):
    """Wait until the map is drawn, with so many rows where that is said."""
    expect(page.locator("h1").first).to_be_visible()
    expect(big(page)).to_have_attribute("data-rev", re.compile("."))
    if rows is not None:
        expect(the_map(page)).to_have_attribute("data-rows", str(rows))
    settled(page)


def state(page):
    """What the map says about itself: rows, columns, and what is chosen."""
    return the_map(page).evaluate("node => ({ ...node.dataset })")


def choice(page):
    """Layer, heads, query and key."""
    now = state(page)
    return tuple(now[name] for name in ("layer", "heads", "query", "key"))


def tokens(page):
    """The words of the strip as they are drawn."""
    return page.get_by_test_id("strip").locator(".token .text").all_text_contents()


def type_in(page, text, box=0):
    """Put a text into a box and leave it, as a person does."""
    area = page.get_by_role("textbox").nth(box)
    area.fill(text)
    area.press("Control+Enter")


def refused(page, why):
    """Wait until the page says that it could not read something, and why."""
    expect(page.locator("[class*='st-key-refused']")).to_have_text(why)
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    settled(page)


def big(page):
    """The canvas of the big map."""
    return page.get_by_test_id("big").locator("canvas.base")


def cells(page, rows, columns):
    """The pixels of the big map: a colour [row, column, channel] at the middle of every cell."""
    found = big(page).evaluate(CELLS, [rows, columns, True])
    return np.array(found["colours"], dtype=float).reshape(rows, columns, 3)


def point_at(page, row, column, size):
    """Move the pointer to a cell of the big map, and return what the label at the pointer says."""
    canvas = big(page)
    found = canvas.evaluate(CELLS, [*size, False])
    place = [
        (found[begin] + (index + 0.45) * found[pitch]) / found["ratio"]
        for begin, pitch, index in (("left", "across", column), ("top", "down", row))
    ]
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    tip = page.get_by_test_id("tip")
    expect(tip).to_be_visible()
    return tip.locator(":scope > *").all_text_contents()


def lightness(colours):
    """How light colours are, 0 to 255."""
    return colours @ np.array([0.2126, 0.7152, 0.0722])


def grey(colours):
    """Which cells have the colour of masked ones: no ramp has it."""
    masked = np.array([[232, 231, 228], [208, 206, 201], [44, 44, 47], [66, 66, 70]])
    return (colours[..., None, :] == masked).all(-1).any(-1)


def table(page):
    """The table twin: its rows as lists of texts."""
    twin = page.get_by_test_id("table")
    if twin.get_attribute("open") is None:
        twin.locator("summary").click()
    expect(twin.locator("tbody tr")).not_to_have_count(0)
    return twin.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(one => one.textContent))"
    )


def close_to(text, value, digits=4):
    """Whether a share is written as its value is, to the last digit."""
    return math.isclose(float(text), float(value), abs_tol=0.51 * 10**-digits)


def open_section(page, address, **options):
    """Open a page of sections at some of its options, and wait until it is there."""
    page.goto(f"{address}?{urlencode(options)}")
    section_there(page)


def section_there(page):
    """Wait until a section has its heading and nothing runs any more."""
    expect(page.locator("h3").first).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=60_000)
