"""What tests share: the two models, a running server, and a browser in which nothing may leave this machine."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.shaped import check_shapes

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # dozens of servers start, each of which would compile everything anew
sys.dont_write_bytecode = False
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # each of several processes takes one core

ROOT = Path(__file__).resolve().parent.parent
SHAPED = [  # the modules that name a shape; checking the others as they run too tripled the time of a test
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "core").rglob("*.py"))
    if re.search(r"jaxtyping|\bshapes\b", path.read_text(encoding="utf-8"))
]

check_shapes(SHAPED)
import core  # noqa: E402

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
UNWANTED = (  # what a browser does beside showing the page; Playwright's own list is replaced by this one
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",  # these three start a process of their own for the address bar of every window
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # tabs of one profile share a process, in which the page's scripts are compiled once
    "--js-flags=--no-opt --no-maglev",  # a script that lives for a second does not earn back what optimizing it costs
    f"--disable-features={','.join(UNWANTED)}",
)
HOW_TO_GET_ONE = (
    "no Chromium or Chrome here; on Debian and Ubuntu `apt install chromium`, or name one with CHROME=/path"
)


FIRST = (("browser", "server", "offline"), ("pages", "core"), ("laws",), ("golden",))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let two processes that take file after file be busy all along and done together: browsers, which take more than
    one core, come in turns with servers, which are waited for; the shortest files come last."""
    folders: dict[str, list[Path]] = {}
    for path in dict.fromkeys(item.path for item in items):
        folders.setdefault(path.parent.name, []).append(path)
    places = {}
    for folder, paths in folders.items():
        rank = next((rank for rank, names in enumerate(FIRST) if folder in names), len(FIRST))
        places |= {path: (rank, (number + 0.5) / len(paths)) for number, path in enumerate(paths)}
    items.sort(key=lambda item: places[item.path])


@pytest.fixture(scope="session")
def minilm():
    return core.open_model("minilm")


@pytest.fixture(scope="session")
def smollm2():
    return core.open_model("smollm2")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_healthy(process: subprocess.Popen, address: str, log: Path, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')}")


@contextmanager
def serving(
    log: Path, *options: str, script: str = "server.py", base: str = "", port: int = 0, **environment: str
) -> Iterator[str]:
    """Start the page on a free port unless one is said, yield its address, and end it."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}", "--server.address=127.0.0.1"]
    if base:
        command.append(f"--server.baseUrlPath={base}")
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, *options], cwd=ROOT, env={**os.environ, **environment}, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        address = f"http://127.0.0.1:{port}{base}"
        wait_until_healthy(process, address, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[str]:
    """The address of a server that all tests of this run share."""
    with serving(tmp_path_factory.mktemp("server") / "log") as address:
        yield address


def browser_path() -> str | None:
    named = [os.environ["CHROME"]] if os.environ.get("CHROME") else []
    found = [shutil.which(name) for name in (*named, *BROWSERS)]
    return next((path for path in (*found, str(MAC)) if path and Path(path).exists()), None)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; without one the test is skipped, or fails where REQUIRE_BROWSER=1."""
    path = browser_path()
    if path is None and os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(HOW_TO_GET_ONE)
    if path is None:
        pytest.skip(HOW_TO_GET_ONE)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, headless=True, args=list(QUIET))
        yield chromium
        chromium.close()


class Visit:
    """What a visit must never do: leave this machine, or raise in the browser."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.errors: list[str] = []

    def watch(self, page) -> None:
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("websocket", lambda channel: self.addresses.append(channel.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def strangers(self) -> list[str]:
        near = {"127.0.0.1", "localhost", None}
        return [a for a in self.addresses if not a.startswith(("data:", "blob:")) and urlsplit(a).hostname not in near]


@pytest.fixture
def visit() -> Visit:
    return Visit()


@pytest.fixture
def new_page(browser, visit):
    """Open pages in fresh profiles: `new_page(viewport={...}, locale="zh-CN", color_scheme="dark")`."""
    contexts = []

    def open_page(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-US", **options})
        contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        visit.watch(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert visit.strangers() == []
    assert visit.errors == []


@pytest.fixture
def page(new_page):
    """One page in a fresh profile, in English."""
    return new_page()


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node, which runs the tests of the map's modules."""
    path = shutil.which("node")
    if path is None:
        pytest.skip(
            "no node here, which the tests of the map's modules run in; the browser tests cover the map as well"
        )
    return path
