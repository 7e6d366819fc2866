"""Every page at every address: oversized, malformed and hostile words open the page, for one visitor and no other."""

import http.client
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest

from pages import PAGES
from pages.plumbing import extras
from tests.conftest import ROOT
from tests.server.visitor import raised, run_page

MARKUP = "<img src=x onerror=alert(1)>[a](javascript:alert(1))![p](//stranger.example/p.png)<b>$x^2$"
SECTIONS = [row.section for row in PAGES]
SHARED = ("text", "pair", "model", "lang", "side", "layer", "heads", "query", "key", "units", "special", "palette")
HOSTILE = {
    "markup": MARKUP,
    "number": "9" * 4000,
    "long": "x" * 20_000,
    "path": "../../../../etc/passwd",
    "characters": "a\0\u0663\u202e{0.__class__}%s%n",
    "points": ".".join("1" * 2000),
}
BROKEN = ("&&&===&", "%", "%zz=%zz", "text=%ff%fe&text=%00", "text=a&text=b&text=c", "=" * 3000, "a=1&" * 2000)


def names(section):
    """The words of an address that a page reads."""
    return (*SHARED, *(name for name in extras.EXTRAS if name.startswith(f"{section}.")))


def shown(messages):
    """Everything a run sent, as bytes."""
    return b"".join(message.SerializeToString() for message in messages)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("section", SECTIONS)
def test_an_address_full_of_one_hostile_word_opens_the_page(server, section, kind):
    came = run_page(server, urlencode(dict.fromkeys(names(section), HOSTILE[kind])), section)
    assert raised(came) == []
    assert b"Traceback" not in shown(came)


@pytest.mark.parametrize("section", SECTIONS)
def test_an_address_that_is_none_opens_the_page(server, section):
    for query in BROKEN:
        assert raised(run_page(server, query, section)) == [], query


@pytest.mark.parametrize("section", SECTIONS)
def test_a_page_says_nothing_of_the_machine_it_runs_on(server, section):
    """No path, no name of a user, no secret: only what the page is about."""
    came = run_page(server, "", section)
    told = (str(ROOT), sys.prefix, str(Path.home()), "cookieSecret", "secrets.toml")
    assert [word for word in told if word.encode() in shown(came)] == []
    assert not any(message.new_session.initialize.user_info.installation_id_v3 for message in came)


def status(address, target):
    channel = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    channel.request("GET", target)
    answer = channel.getresponse()
    answer.read()
    channel.close()
    return answer.status


@pytest.mark.parametrize("section", SECTIONS)
def test_the_first_request_takes_an_oversized_address_or_refuses_it(server, section):
    assert status(server, f"/{section}?text={'x' * (1 << 14)}") in {200, 307}
    with suppress(ConnectionError):  # refused while it is still being sent
        assert status(server, f"/{section}?text={'x' * (1 << 20)}") in {400, 414, 431}
    assert status(server, f"/{section}?text={quote(MARKUP)}") in {200, 307}
    assert status(server, "/_stcore/health") == 200
