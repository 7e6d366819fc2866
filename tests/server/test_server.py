"""The launcher's promises: who is let in, what it never tells, what it says about itself, where addresses lead."""

import base64
import hashlib
import json
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import pytest
import streamlit

from core import words
from tests.conftest import serving
from tests.server.visitor import knock, raised, run_page


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def get(address):
    """Ask for an address, follow nothing; the answer has a status and headers."""
    try:
        answer = urllib.request.build_opener(NoRedirect).open(address, timeout=30)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    answer.close()
    return answer


class Inline(HTMLParser):
    """Collects the text of scripts that have no address of their own."""

    def __init__(self):
        super().__init__()
        self.scripts = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script" and "src" not in dict(attrs)

    def handle_endtag(self, _tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts.append(data)


def test_the_policy_names_streamlits_own_inline_script(server):
    page = Inline()
    page.feed((Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8"))
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in page.scripts]
    assert len(digests) == 1
    policy = dict(part.split(" ", 1) for part in get(server).headers["content-security-policy"].split("; "))
    assert policy["script-src"] == f"'self' blob: 'sha256-{digests[0]}'"
    assert policy["default-src"] == "'none'"
    assert "http" not in str(policy)


@pytest.mark.parametrize("path", ["/", "/models", "/_stcore/health", "/attn/unknown", "/heads", "/_stcore/metrics"])
def test_every_answer_carries_the_headers(server, path):
    headers = get(server + path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert len(headers.get_all("content-security-policy")) == 1


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/agent"])
def test_what_is_for_operators_is_closed(server, path):
    assert get(server + path).status == 404


def test_the_pages_own_origin_is_let_in(server):
    assert knock(server, server) == 101
    assert knock(server) == 101


@pytest.mark.parametrize(
    "origins",
    [
        ("http://stranger.example",),
        ("http://localhost:1",),
        ("null",),
        ("",),
        ("http://[",),
        ("http://stranger.example", "{server}"),
        ("{server}", "http://stranger.example"),
    ],
)
def test_another_origin_is_refused(server, origins):
    assert knock(server, *(origin.format(server=server) for origin in origins)) in {400, 403}


def test_the_first_pages_own_address_leads_to_it(server):
    answer = get(server + "/heads?model=smollm2&text=a%20b%26c")
    assert answer.status == 307
    assert answer.headers["location"] == "/?model=smollm2&text=a%20b%26c"


@pytest.mark.parametrize("language", words.languages())
def test_a_page_that_is_not_there_is_said_in_the_visitors_language(server, language):
    """By the page itself: Streamlit would put an English box before it."""
    told = {}
    for section in ("nothere", "inside", ""):
        came = run_page(server, f"lang={language}&text=a", section)
        assert raised(came) == []
        assert "page_not_found" not in {message.WhichOneof("type") for message in came}
        sent = b"".join(message.SerializeToString() for message in came)
        told[section] = words.say(language, "frame.no_page").encode() in sent
    assert told == {"nothere": True, "inside": False, "": False}


@pytest.mark.parametrize("language", words.languages())
def test_what_stands_in_place_of_a_part_that_failed_speaks_the_visitors_language(server, language):
    """Streamlit's own words for it are English and speak of a place where this page is not."""
    sent = b"".join(message.SerializeToString() for message in run_page(server, f"lang={language}"))
    said = json.dumps(words.say(language, "frame.fault"), ensure_ascii=False)
    assert f'[data-testid="stExceptionMessage"]::after{{content:{said}'.encode() in sent


def test_a_map_that_is_not_there_is_not_found(server):
    assert get(server + "/attn/0123456789abcdef?layer=0&heads=0").status == 404


def test_everything_lies_below_a_sub_path(tmp_path):
    with serving(tmp_path / "log", base="/look/inside") as address:
        root = address.removesuffix("/look/inside")
        assert get(address + "/heads?a=1").headers["location"] == "/look/inside/?a=1"
        assert get(address + "/_stcore/metrics").status == 404
        assert get(address + "/attn/unknown?layer=0&heads=0").headers["content-type"] != "text/html; charset=utf-8"
        assert knock(address, root) == 101
        assert raised(run_page(address)) == []


def test_it_starts_without_the_launcher_too(tmp_path):
    with serving(tmp_path / "log", script="app.py") as address:
        assert raised(run_page(address)) == []
