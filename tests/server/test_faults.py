"""What goes wrong on a server, and what becomes of the people on it."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

import core
from tests.conftest import ROOT, free_port, wait_until_healthy
from tests.house.source import files
from tests.server.visitor import raised, run_page, stream

WORDS = ["aardvark", "bassoon", "cinnamon", "dulcimer", "eiderdown", "flamingo", "gazebo", "hyacinth", "iguana"]
SENTENCE = "The hyacinth bloomed because it was warm."
SHOWN = "node => [getComputedStyle(node).fontSize, getComputedStyle(node, '::after').content]"


@contextlib.contextmanager
def started(port, log):
    """A server on a port of our choice, which a test may kill."""
    command = [sys.executable, "-m", "streamlit", "run", "server.py", f"--server.port={port}"]
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_until_healthy(process, f"http://127.0.0.1:{port}", log)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(30)


@pytest.mark.browser
def test_a_killed_server_takes_nothing_from_whoever_goes_on_afterwards(tmp_path, new_page):
    """The picture stays, and a box says why nothing moves; the page connects again by itself, to a server that knows
    nothing but the address bar; what is typed next is read."""
    port, log, page = free_port(), tmp_path / "log", new_page(locale="zh-CN")
    with started(port, log) as process:
        page.goto(f"http://127.0.0.1:{port}/?text={SENTENCE}&layer=2&heads=7")
        quiet(page)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
        expect(page.get_by_text("第 2 层第 7 头")).to_be_visible()
        box = page.get_by_role("dialog")
        expect(box).to_be_visible(timeout=60_000)
        for place, key in (("h2", "lost"), ("h2 + div > div", "lost_note")):
            shown = box.locator(place).evaluate(SHOWN)
            assert shown == ["0px", json.dumps(core.words.say("zh", f"frame.{key}"), ensure_ascii=False)]
        with started(port, log):
            expect(page.locator("textarea").first).to_be_enabled(timeout=90_000)
            page.locator("textarea").first.fill("The gazebo fell because it was old.")
            page.locator("textarea").first.press("Control+Enter")
            expect(page).to_have_url(re.compile("gazebo"))
            quiet(page)
            assert page.get_by_test_id("stException").count() == 0


def quiet(page):
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def test_nine_at_once_get_their_own_picture_and_nobody_elses_word(server):
    with ThreadPoolExecutor(len(WORDS)) as pool:
        runs = list(pool.map(lambda word: run_page(server, f"text=The+{word}+slept+well"), WORDS))
    for word, came in zip(WORDS, runs, strict=True):
        sent = b"".join(message.SerializeToString() for message in came)
        assert raised(came) == []
        assert [other for other in WORDS if other.encode() in sent] == [word]


def test_a_visitor_who_reads_nothing_holds_nobody_up(server):
    """Its channel is full of what it does not take; everybody else is served."""
    options = {"max_size": None, "max_queue": 1, "close_timeout": 0.1}  # nor does it take the goodbye
    with connect(stream(server), subprotocols=["streamlit"], compression=None, **options) as slow:
        for number in range(20):
            request = BackMsg()
            request.rerun_script.query_string = f"text=Slow+reader+{number}"
            slow.send(request.SerializeToString())
        assert raised(run_page(server, "text=Somebody+else", seconds=30)) == []


def test_a_visitor_who_sends_half_a_message_holds_nobody_up(server):
    host, port = server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
        assert raised(run_page(server, "text=Somebody+else", seconds=30)) == []


def test_a_message_that_is_none_ends_that_visit_only(server):
    with connect(stream(server), subprotocols=["streamlit"], compression=None, max_size=None) as hostile:
        hostile.send(b"\xff\x00\xff" * 1000)
        assert raised(run_page(server, "text=Somebody+else", seconds=30)) == []


def test_no_clock_that_can_jump_is_read():
    """Waits and times are told by the clock that only goes forward."""
    jumping = [file for file in files("core", "pages") if "time.time(" in file.read_text(encoding="utf-8")]
    assert jumping == []


def test_many_threads_read_with_one_tokenizer(minilm):
    texts = [f"the {word} number {n}" for n in range(40) for word in WORDS]
    alone = [tuple(core.read(minilm, text).ids) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: tuple(core.read(minilm, text).ids), texts)) == alone
