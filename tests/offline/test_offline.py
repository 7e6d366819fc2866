"""Everything works with no network: the server speaks to nobody but its visitors."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import serving
from tests.server.visitor import knock, raised, run_page

WATCH = Path(__file__).parent / "watch"
NEAR = re.compile(r"'(127\.0\.0\.1|::1|localhost)'|^\(<socket[^>]*>, '[^']*'\)$|b''")


def watched(book):
    return {"ADDRESS_BOOK": str(book), "PYTHONPATH": str(WATCH)}


def strangers(book):
    """Every entry about an address that is not this machine's own."""
    entries = [json.loads(line) for line in book.read_text().splitlines()]
    return [entry for entry in entries if not NEAR.search(entry[1])]


@pytest.mark.slow
def test_the_server_asks_nobody(tmp_path):
    book = tmp_path / "addresses"
    with serving(tmp_path / "log", **watched(book)) as address:
        assert strangers(book) == []
        assert raised(run_page(address)) == []
        assert strangers(book) == []
        began = time.monotonic()
        assert [knock(address, "http://stranger.example") for _ in range(5)] == [403] * 5
        assert time.monotonic() - began < 2
        assert strangers(book) == []


def test_the_watch_notices(tmp_path):
    book = tmp_path / "addresses"
    program = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(('192.0.2.1', 9))"
    environment = {**os.environ, **watched(book)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=30)
    assert [event for event, _ in strangers(book)] == ["socket.connect"]
