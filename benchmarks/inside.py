"""How long does opening a cell on the Inside page take, on the cached trace of 64 tokens?

Another key is chosen in one real Chromium against one warm server on this machine. Wall time is from the message that
the browser sends to the one that says the run is finished, computing time what the server's process used meanwhile:
the first depends on who else is at work on the machine, the second does not.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: E402

from benchmarks._rows import row, save  # noqa: E402
from benchmarks.browser import SIXTY_FOUR  # noqa: E402
from tests.conftest import QUIET, browser_path, serving  # noqa: E402

QUESTION = "How long does opening a cell take?"
TIMES = 12
BEGIN = 20
MODELS = {"minilm": SIXTY_FOUR, "smollm2": SIXTY_FOUR + " sat down"}


class Channel:
    """When the browser last asked for something, and when the run that followed was finished."""

    def __init__(self, page: Page) -> None:
        self.sent, self.finished = 0.0, 0.0
        page.on("websocket", self._listen)

    def _listen(self, channel: Any) -> None:
        channel.on("framesent", lambda _: setattr(self, "sent", time.perf_counter()))
        channel.on("framereceived", self._received)

    def _received(self, payload: Any) -> None:
        if isinstance(payload, bytes) and ForwardMsg.FromString(payload).WhichOneof("type") == "script_finished":
            self.finished = time.perf_counter()

    def took(self, page: Page, ask: Callable[[], None]) -> float:
        """Ask, wait until the run is finished and nothing follows, and return its milliseconds."""
        self.finished = 0.0
        ask()
        while not self.finished:
            page.wait_for_timeout(20)
        found = (self.finished - self.sent) * 1000
        page.wait_for_timeout(600)
        return found


def computing(process: int) -> float:
    """Return the milliseconds that a process has computed, in all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def own_child() -> int:
    """Return the only process that this one has started."""
    (child,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
    return int(child)


def cells(browser: Browser, address: str, process: int, model: str, text: str) -> list[dict[str, Any]]:
    """Choose one key after another."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    channel = Channel(page)
    page.goto(f"{address}/inside?model={model}&text={quote(text)}&query=40&key={BEGIN}")
    box = page.get_by_role("combobox", name="Key: is looked at")
    box.wait_for(timeout=60_000)
    page.wait_for_timeout(4000)
    walls, used = [], []
    for number in range(TIMES + 1):
        page.keyboard.press("Escape")
        box.click()
        page.keyboard.press("ArrowDown")
        before = computing(process)
        walls.append(channel.took(page, lambda: page.keyboard.press("Enter")))
        used.append(computing(process) - before)
        if f"key={BEGIN + 1 + number}" not in page.url:
            raise RuntimeError(page.url)
    page.context.close()
    setting = f"{model}, 64 tokens, another key chosen"
    return [
        row(setting, "computing time of the server, mean ms", round(statistics.mean(used[1:])), wanted="< 150"),
        row(setting, "message to finished run, median ms", round(statistics.median(walls[1:]))),
        row(setting, "message to finished run, fastest ms", round(min(walls[1:])), wanted="< 150"),
    ]


def main() -> None:
    """Run both models against one server and write the results."""
    load = os.getloadavg()[0]
    with serving(Path(tempfile.mkdtemp()) / "log") as address:
        process = own_child()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path(), args=list(QUIET))
            rows = [each for model, text in MODELS.items() for each in cells(browser, address, process, model, text)]
            browser.close()
    save("inside", QUESTION, rows, how=f"load {load:.1f} when begun")


if __name__ == "__main__":
    main()
