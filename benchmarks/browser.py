"""How long does a person wait? From a key press to pixels, from a new sentence to its picture, from an address to the
page.

Measured in one real Chromium against one warm server on this machine, medians of at least ten. There is no peer here:
what is wanted are the limits of what a hand and an eye notice, and of what a class on one line can load.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchmarks._rows import row, save  # noqa: E402
from tests.conftest import QUIET, browser_path, serving  # noqa: E402

QUESTION = "How long does a person wait, and how much is sent?"
TIMES = 12
TWELVE_WORDS = "The {} of the old house was opened by my youngest sister today"
NAMES = ("door", "roof", "gate", "wall", "lock", "hall", "room", "bell", "yard", "barn", "well", "shed")
ANIMALS = ("dog", "cat", "horse", "rabbit", "bird", "bear", "wolf", "fox", "duck", "snake", "cow", "goat")
SIXTY_FOUR = " ".join(["the cat sat on the mat"] * 10 + ["and then"])  # with the two special pieces

COUNT_SENDS = """
window.sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) { window.sent.push(performance.now()); return send.call(this, data); };
"""

WATCH = """({grid, big}) => {
  window.seen = null;
  grid.addEventListener('keydown', () => {
    const before = big.dataset.rev, start = performance.now(), fetched =
    performance.getEntriesByType('resource').length; const look = () => big.dataset.rev === before ?
      requestAnimationFrame(look) : requestAnimationFrame( () => requestAnimationFrame(() => { window.seen = {
        milliseconds: performance.now() - start,
        requests: performance.getEntriesByType('resource').length - fetched
          + window.sent.filter(when => when > start).length }; }));
    look();
  }, {capture: true, once: true});
}"""

SENTENCE = """({strip, word}) => {
  window.seen = null;
  document.addEventListener('keydown', function typed(event) {
    if (event.key !== 'Enter') return;
    document.removeEventListener('keydown', typed, {capture: true});
    const start = performance.now();
    const look = () => strip.textContent.includes(word) ? requestAnimationFrame(
      () => requestAnimationFrame(() => { window.seen = {milliseconds: performance.now() - start}; }))
      : requestAnimationFrame(look);
    look();
  }, {capture: true});
}"""


TRANSLATION = """root => {
  window.seen = null;
  const said = () => root.querySelector('[data-testid="whole"]').textContent, before = said();
  document.addEventListener('keydown', function typed(event) {
    if (event.key !== 'Enter') return;
    document.removeEventListener('keydown', typed, {capture: true});
    const start = performance.now();
    const look = () => said() === before ? requestAnimationFrame(look) : requestAnimationFrame(
      () => requestAnimationFrame(() => { window.seen = {milliseconds: performance.now() - start}; }));
    look();
  }, {capture: true});
}"""


class Line:
    """Counts the bytes that the server sends to a page."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        page.on("websocket", lambda channel: channel.on("framereceived", self._count))

    def _count(self, payload: Any) -> None:
        self.bytes += len(payload)


def visit(browser: Browser, address: str) -> tuple[Page, Line, float]:
    """Open an address in a fresh profile; return the page, its line, and the milliseconds until its map is drawn."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(COUNT_SENDS)
    line = Line(page)
    start = time.perf_counter()
    page.goto(address)
    page.locator('[data-testid="big"][data-rev]').wait_for(timeout=60_000)
    return page, line, (time.perf_counter() - start) * 1000


def seen(page: Page) -> dict[str, float]:
    """Wait for what a watcher has seen, and return it; the page's policy forbids waiting by an expression."""
    for _ in range(300):
        found: dict[str, float] | None = page.evaluate("window.seen")
        if found:
            return found
        page.wait_for_timeout(100)
    raise TimeoutError(page.url)


def presses(page: Page, keys: list[str]) -> list[dict[str, float]]:
    """Choose one head after another by real key presses."""
    grid, big = (page.locator(f'[data-testid="{name}"]') for name in ("grid", "big"))
    grid.focus()
    found = []
    for key in keys:
        page.evaluate(WATCH, {"grid": grid.element_handle(), "big": big.element_handle()})
        page.keyboard.press(key)
        found.append(seen(page))
        page.wait_for_timeout(700)
    return found


def head_choice(browser: Browser, address: str) -> list[dict[str, Any]]:
    """Measure choosing another head at 64 tokens."""
    page, _, _ = visit(browser, f"{address}/?model=minilm&text={quote(SIXTY_FOUR)}")
    page.wait_for_timeout(1500)
    found = presses(page, ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"] * (TIMES // 4))
    page.context.close()
    times = [each["milliseconds"] for each in found]
    setting = "MiniLM, 64 tokens, real key presses"
    return [
        row(setting, "key press to pixels, median ms", round(statistics.median(times), 1), wanted="< 60"),
        row(setting, "key press to pixels, slowest ms", round(max(times), 1)),
        row(setting, "requests before the pixels", sum(each["requests"] for each in found), wanted="== 0"),
    ]


def new_sentence(browser: Browser, address: str) -> list[dict[str, Any]]:
    """Measure a new sentence of twelve words, from Ctrl+Enter to its picture."""
    page, _, _ = visit(browser, f"{address}/?model=minilm&text={quote(TWELVE_WORDS.format('key'))}")
    box, times = page.get_by_role("textbox").first, []
    for name in NAMES[:TIMES]:
        page.wait_for_timeout(800)
        strip = page.locator('[data-testid="strip"]').element_handle()
        page.evaluate(SENTENCE, {"strip": strip, "word": name})
        box.fill(TWELVE_WORDS.format(name))
        box.press("Control+Enter")
        times.append(seen(page)["milliseconds"])
    page.context.close()
    setting = "MiniLM, a new sentence of 12 words"
    return [
        row(setting, "Ctrl+Enter to pixels, median ms", round(statistics.median(times)), wanted="< 500"),
        row(setting, "Ctrl+Enter to pixels, slowest ms", round(max(times))),
    ]


def translation(browser: Browser, address: str) -> list[dict[str, Any]]:
    """Measure a new sentence to translate, from Ctrl+Enter to its translation, and the page from its address on."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    start = time.perf_counter()
    page.goto(f"{address}/translate")
    writing = page.locator('[data-testid="writing"][data-step]')
    writing.wait_for(timeout=60_000)
    opened = (time.perf_counter() - start) * 1000
    box, times = page.get_by_role("textbox").first, []
    for name in ANIMALS:
        page.wait_for_timeout(800)
        page.evaluate(TRANSLATION, writing.element_handle())
        box.fill(f"The {name} didn't cross the street because it was too tired.")
        box.press("Control+Enter")
        times.append(seen(page)["milliseconds"])
    page.context.close()
    setting = "the translator, a new sentence of 11 words"
    return [
        row(setting, "Ctrl+Enter to the whole translation, median ms", round(statistics.median(times)), wanted="< 500"),
        row(setting, "Ctrl+Enter to the whole translation, slowest ms", round(max(times))),
        row("the Translate page, warm server, fresh profile", "address to the first step, ms", round(opened)),
    ]


def first_picture(browser: Browser, address: str) -> list[dict[str, Any]]:
    """Measure the opening page in fresh profiles."""
    times, sizes = [], []
    for _ in range(TIMES):
        page, line, milliseconds = visit(browser, f"{address}/")
        times.append(milliseconds)
        sizes.append(line.bytes)
        page.context.close()
    setting = "the opening page, warm server, fresh profile"
    return [
        row(setting, "address to pixels, median ms", round(statistics.median(times)), wanted="< 3000"),
        row(setting, "address to pixels, slowest ms", round(max(times))),
        row(setting, "websocket bytes of the view", max(sizes), wanted="<= 1200000"),
    ]


def views(browser: Browser, address: str) -> list[dict[str, Any]]:
    """Measure what the heaviest views send."""
    found = []
    for model, words in (("minilm", 118), ("minilm", 500), ("smollm2", 62), ("smollm2", 64), ("smollm2", 250)):
        page, line, _ = visit(browser, f"{address}/?model={model}&text={quote('the cat ' * (words // 2))}")
        page.wait_for_timeout(1500)
        found.append(row(f"{model}, {words} words", "websocket bytes of the view", line.bytes, wanted="<= 1200000"))
        page.context.close()
    return found


def main() -> None:
    """Run everything against one server and write the results."""
    folder = Path(tempfile.mkdtemp())
    with serving(folder / "log") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
        visit(browser, f"{address}/")[0].context.close()
        rows = [*first_picture(browser, address), *head_choice(browser, address), *new_sentence(browser, address)]
        rows += views(browser, address) + translation(browser, address)
        browser.close()
    save("browser", QUESTION, rows)


if __name__ == "__main__":
    main()
