"""Who else is let in: names that are not this server's, pages of other origins, paths that lead outside."""

import http.client
import socket
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from core import words
from tests.conftest import serving
from tests.server.visitor import stream


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """The address of a server that has two names, given as a container is given them."""
    log = tmp_path_factory.mktemp("named") / "log"
    with serving(log, STREAMLIT_SERVER_ALLOWED_HOSTS="heads.example.org localhost") as address:
        yield address


def ask(address, path, **headers):
    """Ask for exactly this path; status, headers and text."""
    channel = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    channel.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        channel.putheader(name, value)
    channel.endheaders()
    answer = channel.getresponse()
    said = answer.read().decode(errors="replace")
    channel.close()
    return answer.status, answer.headers, said


def knocked(address, host):
    """What comes back to a page of a host that was pointed at this machine: origin and host are the same."""
    port = urlsplit(address).port
    options = {"subprotocols": ["streamlit"], "additional_headers": {"Origin": f"http://{host}:{port}"}}
    try:
        here = socket.create_connection(("127.0.0.1", port))
        with connect(stream(address).replace("127.0.0.1", host), sock=here, **options):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_a_name_that_was_pointed_at_this_machine_is_not_answered(named):
    for path in ("/", "/attn/key?layer=0&heads=0", "/_stcore/host-config"):
        status, headers, said = ask(named, path, Host="rebound.example")
        assert status == 421
        assert headers["x-frame-options"] == "DENY"
        assert said.splitlines() == [words.say(language, "frame.other_host") for language in words.languages()]
    assert knocked(named, "rebound.example") == 403


def test_its_own_names_are_answered_and_a_monitor_may_use_any(named):
    for host in ("heads.example.org", "heads.example.org:8443", "localhost:1", "HEADS.example.org"):
        assert ask(named, "/", Host=host)[0] == 200
    assert knocked(named, "heads.example.org") == 101
    assert ask(named, "/_stcore/health", Host="10.0.0.7:8501")[0] == 200


@pytest.mark.parametrize("origin", ["http://stranger.example", "http://localhost:1", "null"])
@pytest.mark.parametrize(
    "path", ["/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/_stcore/upload_file/a/b"]
)
def test_no_page_of_another_origin_may_read_an_answer(server, path, origin):
    headers = ask(server, path, Origin=origin)[1]
    assert headers.get("access-control-allow-origin") is None
    assert headers["cross-origin-resource-policy"] == "same-origin"


OUTSIDE = ("../server.py", "..%2fserver.py", "..%5cserver.py", "%2e%2e/server.py", "....//server.py", "%00/server.py")
OUTSIDE += ("/etc/passwd", "..%252f..%252fetc/passwd", "..%c0%afserver.py", "C:%5cserver.py", "%ff%fe")
ROOMS = ("", "static/", "media/", "attn/", "component/x/", "_stcore/bidi-components/x/", "app/static/")


@pytest.mark.parametrize("room", ROOMS)
def test_no_path_leads_to_a_file_of_the_server_h89(server, room):
    """H89: what comes is a refusal, or the page's own first file for an address that could be a page's."""
    first = ask(server, "/")[2]
    for path in OUTSIDE:
        status, _, said = ask(server, f"/{room}{path}")
        assert status in {400, 403, 404} or (status, said) == (200, first), path
        assert "root:" not in said
        assert "Stands before Streamlit" not in said


CLOSED = ("/_stcore/metrics/", "/%5fstcore/metrics", "/_stcore/metrics?x=1", "/_stcore/agent/x")


@pytest.mark.parametrize("path", CLOSED)
def test_what_is_for_operators_is_closed_however_it_is_spelled(server, path):
    assert ask(server, path)[0] == 404
