"""How long does opening a cell on the Inside page take, on the cached trace of 64 tokens?

Another key, another query and another layer are chosen in one real Chromium against one warm server on this machine.
From the key press on, the page's own clock says when the last of what is in view had changed, and the last of all; rows
that a table has scrolled out of its box are not in view.
Computing time is what the server's process used meanwhile: the clocks depend on who else is at work on the machine, it
does not. A layer that nobody has opened yet is computed once more in float64; another cell of it is not.

    python -m benchmarks.inside [--save]
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchmarks._rows import row, save, show  # noqa: E402
from benchmarks.browser import SIXTY_FOUR  # noqa: E402
from tests.conftest import QUIET, browser_path, serving  # noqa: E402

QUESTION = "How long does opening a cell take?"
TIMES = 12
BEGIN = {"key": 10, "query": 30, "layer": 0}
BOXES = {"key": "Key: is looked at", "query": "Query: looks", "layer": "Layer"}
MODELS = {"minilm": SIXTY_FOUR, "smollm2": SIXTY_FOUR + " sat down"}
WATCH = """() => {
  const clock = window.clock = { pressed: 0, view: 0, all: 0 };
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') Object.assign(clock, { pressed: performance.now(), view: 0, all: 0 });
  }, true);
  new MutationObserver((changes) => {
    const places = changes.flatMap((change) => change.type === 'childList' ? [...change.addedNodes] : [change.target])
      .map((node) => node.nodeType === 1 ? node : node.parentElement)
      .filter((place) => place?.closest('[data-testid="stMain"]'));
    if (!places.length) return;
    clock.all = performance.now();
    const edges = places.map((place) => {
      const own = place.getBoundingClientRect(), box = place.closest('.rows')?.getBoundingClientRect() ?? own;
      return { top: Math.max(own.top, box.top), bottom: Math.min(own.bottom, box.bottom) };
    });
    if (edges.some(({ top, bottom }) => bottom > top && bottom > 0 && top < innerHeight)) clock.view = clock.all;
  }).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributeFilter: ['d', 'src', 'data-rev'],
  });
}"""


def computing(process: int) -> float:
    """Return the milliseconds that a process has computed, in all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def own_child() -> int:
    """Return the only process that this one has started."""
    (child,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
    return int(child)


def cells(browser: Browser, address: str, process: int, model: str, text: str) -> list[dict[str, Any]]:
    """Choose one key after another, then queries, then layers."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    begin = "&".join(f"{name}={value}" for name, value in BEGIN.items())
    page.goto(f"{address}/inside?model={model}&text={quote(text)}&{begin}")
    page.get_by_role("combobox", name=BOXES["key"]).wait_for(timeout=60_000)
    page.wait_for_timeout(4000)
    page.evaluate(WATCH)
    rows = [row for what in BOXES for row in opened(page, process, model, what)]
    page.context.close()
    return rows


def opened(page: Page, process: int, model: str, what: str) -> list[dict[str, Any]]:
    """Choose the next of what one box offers, again and again."""
    found: list[dict[str, float]] = []
    for number in range(TIMES if what != "layer" else 5):
        page.keyboard.press("Escape")
        page.get_by_role("combobox", name=BOXES[what], exact=True).click()
        page.get_by_role("option").first.wait_for()
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(200)
        before = computing(process)
        page.keyboard.press("Enter")
        while f"{what}={BEGIN[what] + 1 + number}" not in page.url:
            page.wait_for_timeout(100)
        page.wait_for_timeout(1000)
        used = computing(process) - before
        clock = page.evaluate("window.clock")
        found.append({"used": used, **{name: clock[name] - clock["pressed"] for name in ("view", "all")}})
    setting = f"{model}, 64 tokens, another {what} chosen"
    middle = {name: round(statistics.median(one[name] for one in found)) for name in found[0]}
    return [
        row(setting, "computing time of the server, median ms", middle["used"], wanted="< 150"),
        row(setting, "key press until what is in view has changed, median ms", middle["view"], wanted="< 150"),
        row(setting, "key press until everything has changed, median ms", middle["all"]),
    ]


def main() -> None:
    """Run both models against one server, and show or save the results."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--save", action="store_true", help="replace benchmarks/results/inside.json")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    with serving(Path(tempfile.mkdtemp()) / "log") as address:
        process = own_child()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
            rows = [each for model, text in MODELS.items() for each in cells(browser, address, process, model, text)]
            browser.close()
    if given.save:
        save("inside", QUESTION, rows, how=f"load {load:.1f} when begun")
    else:
        show(rows)


if __name__ == "__main__":
    main()
