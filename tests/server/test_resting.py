"""A page on which nobody does anything is let go, says so, and opens again; what it kept is given back."""

import asyncio
import re
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from core import words
from pages.plumbing import visits
from pages.plumbing.operating import resting
from tests.conftest import free_port, serving
from tests.server.visitor import stream

QUIET = 3


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """The address of a server that waits three seconds for a person, and that of its numbers."""
    port = free_port()
    given = {"HEADS_UP_IDLE_SECONDS": str(QUIET), "HEADS_UP_METRICS_PORT": str(port)}
    log = tmp_path_factory.mktemp("hasty") / "log"
    with serving(log, "--server.disconnectedSessionTTL=2", **given) as address:
        yield address, f"http://127.0.0.1:{port}/metrics"


def number(address, name):
    with urllib.request.urlopen(address, timeout=10) as answer:
        found = re.search(rf"^heads_up_{name} (\S+)$", answer.read().decode(), re.MULTILINE)
    return float(found[1])


def until(address, name, wanted, seconds=30):
    end = time.monotonic() + seconds
    while (now := number(address, name)) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return now


def test_a_page_that_nobody_touches_is_let_go_and_keeps_nothing(hasty):
    """It is told where to go, then closed even if it does not go; and nobody else has to come for its memory."""
    address, numbers = hasty
    came, before = [], number(numbers, "sessions_rested_total")
    with connect(stream(address), subprotocols=["streamlit"], compression=None, max_size=None) as channel:
        channel.send(asking())
        assert until(numbers, "sessions", 1) == 1
        with suppress(ConnectionClosed):
            while True:
                came.append(ForwardMsg.FromString(channel.recv(timeout=30)))
    assert came[-1].auth_redirect.url == "/resting"
    assert number(numbers, "sessions_rested_total") == before + 1
    assert number(numbers, "sessions") == 0
    assert until(numbers, "sessions_kept", 1) == 1
    assert until(numbers, "sessions_kept", 0) == 0


def asking(by_itself=False):
    """What a page sends to be run, because of a person or by itself."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    message.rerun_script.is_auto_rerun = by_itself
    return message.SerializeToString()


def received(given, limit, patience=5):
    """What becomes of a page whose browser sends so: (seconds before, what); all that it is sent, and receives."""
    sent, got, visit = [], [], visits.Visit()

    async def play():
        coming = iter(given)

        async def receive():
            wait, message = next(coming, (60, None))
            await asyncio.sleep(wait)
            return {"type": "websocket.receive", "bytes": message}

        async def send(message):
            sent.append(ForwardMsg.FromString(message["bytes"]).auth_redirect.url)

        page = resting.watched(visit, receive, send, limit, "/away")
        while not got or got[-1]["type"] != "websocket.disconnect":
            got.append(await asyncio.wait_for(page(), patience))

    try:
        with ThreadPoolExecutor(1) as aside:  # a browser has a loop of its own in this thread
            aside.submit(lambda: asyncio.run(play())).result()
    except TimeoutError:
        got.append(None)
    return sent, [message and message["type"].split(".")[1] for message in got]


def test_only_what_a_person_does_keeps_a_page(monkeypatch):
    monkeypatch.setattr(resting, "GRACE", 0.05)
    person, itself = [(0.25, asking())] * 6, [(0.25, asking(by_itself=True))] * 6
    with ThreadPoolExecutor(2) as pool:  # both last for seconds
        by_a_person, by_itself = pool.map(received, (person, itself), (1, 1))
    assert by_a_person == (["/away"], [*["receive"] * 6, "disconnect"])
    assert by_itself[0] == ["/away"]
    assert by_itself[1].count("receive") < 6
    assert received([(0.0, b"no message")], 0.1) == (["/away"], ["receive", "disconnect"])


def test_with_zero_nobody_is_sent_away(monkeypatch):
    monkeypatch.setattr(resting, "GRACE", 0.05)
    assert received([(0.0, asking())], 0, patience=0.3) == ([], ["receive", None])


@pytest.mark.browser
def test_who_was_away_reads_why_and_goes_on_where_they_were(hasty, page):
    page.goto(f"{hasty[0]}/?text=The+walrus+slept.&layer=1&heads=5")
    expect(page).to_have_url(f"{hasty[0]}/resting", timeout=60_000)
    for language in words.languages():
        expect(page.get_by_text(words.say(language, "door.resting"))).to_be_visible()
    page.get_by_role("link", name=words.say("en", "door.go_on")).click()
    expect(page.locator("textarea").first).to_have_value("The walrus slept.")
    assert "layer=1&heads=5" in page.url
