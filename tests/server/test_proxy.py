"""The shipped nginx in front of the page, without a browser: what is handed on, refused, written down."""

import shutil
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pages.plumbing import extras, link
from tests.conftest import free_port, serving
from tests.server.proxy import SHIPPED, copied, proxying, swap
from tests.server.visitor import knock, raised, run_page, stream

SENTENCE = "The walrus told nobody."
HEADERS = ("content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy")


def ask(address, method="GET", body=None, **headers):
    """Status, headers and text of an answer, whatever it is; nothing is followed."""
    opener = urllib.request.build_opener(NoRedirect)
    try:
        answer = opener.open(urllib.request.Request(address, body, headers, method=method), timeout=30)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        return answer.status, answer.headers, answer.read().decode(errors="replace")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def checked(nginx, config):
    return subprocess.run([nginx, "-t", "-c", str(config)], capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("site", ["plain.conf", "tls.conf", "compose.conf"])
def test_nginx_accepts_every_file_that_is_shipped(nginx, tmp_path, site):
    config = copied(tmp_path, site)
    if site == "tls.conf":
        own_certificate(tmp_path / "heads-up" / site, tmp_path)
    if site == "compose.conf":
        swap(tmp_path / "heads-up" / "upstream-compose.conf", "heads-up:8501", "127.0.0.1:8501")
        shutil.copy(tmp_path / "heads-up" / "upstream-compose.conf", tmp_path / "heads-up" / "upstream.conf")
        shutil.copy("/etc/nginx/mime.types", tmp_path)
        config = shutil.copy(tmp_path / "heads-up" / site, tmp_path / "nginx.conf")
    said = checked(nginx, config)
    assert said.returncode == 0, said.stderr
    assert "warn" not in said.stderr
    broken = Path(config).parent / "heads-up" / "site.conf"
    swap(broken, "server_tokens off;", "server_tokens perhaps;")
    assert checked(nginx, config).returncode != 0


def own_certificate(site, place):
    names = {"/etc/ssl/certs/heads-up.pem": place / "one.pem", "/etc/ssl/private/heads-up.key": place / "one.key"}
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=heads"]
    subprocess.run(
        [*command, "-out", place / "one.pem", "-keyout", place / "one.key"], check=True, capture_output=True, timeout=60
    )
    for old, new in names.items():
        swap(site, old, str(new))


def test_the_page_its_channel_and_its_health_come_through_h87(proxy):
    """H87: below /attn/ the page loads, its channel is upgraded, its health path answers."""
    assert ask(f"{proxy.address}/_stcore/health")[2] == "ok"
    assert "<title>" in ask(f"{proxy.address}/")[2]
    assert knock(proxy.address) == 101
    assert knock(proxy.address, proxy.address.removesuffix("/attn")) == 101
    assert knock(proxy.address, "http://stranger.example") == 403
    assert raised(run_page(proxy.address, f"text={SENTENCE}")) == []


@pytest.mark.parametrize("path", ["", "/attn"])
def test_the_root_leads_to_the_page_with_all_that_the_link_says(proxy, path):
    status, headers, _ = ask(f"{proxy.address.removesuffix('/attn')}{path}?text=a%20b%26c")
    assert (status, headers["location"]) == (307, "/attn/?text=a%20b%26c")


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/metrics", "/attn/unknown", "/heads", "/models"])
def test_every_header_comes_exactly_once(proxy, path):
    _, headers, _ = ask(f"{proxy.address}{path}")
    assert {name: len(headers.get_all(name) or ()) for name in HEADERS} == dict.fromkeys(HEADERS, 1)


def test_nginx_names_no_version(proxy):
    assert ask(f"{proxy.address}/")[1]["server"] == "nginx"


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent", "/_stcore/agent/openapi.json"])
def test_what_is_for_operators_is_closed(proxy, path):
    assert ask(proxy.address + path)[0] == 404


def test_the_longest_link_that_the_page_writes_comes_through(proxy):
    """Chinese takes nine characters of an address for one of a text."""
    words = {"text": "抬" * (link.LONGEST // 3), "lang": "zh"}
    words |= {name: "抬" * count for name in extras.EXTRAS if (count := longest(name))}
    address = f"{proxy.address}/?{urlencode(words)}"
    assert len(address) > 8 << 10
    assert ask(address)[0] == 200
    status, _, said = ask(f"{proxy.address}/?text={'x' * (64 << 10)}")
    assert status == 414
    assert "longer than any link" in said
    assert "链接" in said


def longest(name):
    """How many Chinese characters an option takes, of those that a link always holds."""
    if extras.EXTRAS[name].long:
        return 0
    return next((count for count in (600, 300, 200, 40) if extras.fits(name, "抬" * count)), 0)


def put(address, size):
    """Send one file as the page does, without its permission to."""
    head = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a.json"\r\n\r\n'
    body = head + bytes(size - len(head) - 9) + b"\r\n--x--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    return ask(f"{address}/_stcore/upload_file/nobody/a?text={SENTENCE.replace(' ', '%20')}", "PUT", body, **kind)


def test_an_upload_over_the_limit_gets_words_h88(proxy, below):
    """H88: nginx and the page refuse at the same size; what nginx says can be read."""
    status, headers, said = put(proxy.address, (1 << 20) + 1)
    assert status == 413
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "1 MiB for each file" in said
    assert "1 MiB 的上传上限" in said
    assert len(headers.get_all("content-security-policy")) == 1
    assert put(proxy.address, 1 << 20)[0] == put(below, 1 << 20)[0] == 403  # no permission, but not too large


def test_no_sentence_is_written_down(nginx, below, tmp_path):
    """Neither in the log of accesses nor in that of errors, whatever happens to the request."""
    query = urlencode({"text": SENTENCE})
    with proxying(nginx, tmp_path, below) as proxy:
        for path in ("/", "/heads", "/_stcore/metrics", "/attn/key", "/_stcore/stream"):
            ask(f"{proxy.address}{path}?{query}", Referer=f"http://x/?{query}", Cookie=SENTENCE)
        ask(f"{proxy.address.removesuffix('/attn')}/?{query}")
        put(proxy.address, 2 << 20)
        shutil.rmtree(proxy.place / "body")
        assert put(proxy.address, 1 << 19)[0] == 500
        logged = proxy.logged(8)
    assert logged.count(" GET ") == 6
    assert logged.count(" PUT ") == 2
    assert "/attn/attn/-" in logged
    assert [word for word in ("walrus", "text=", "key", "?") if word in logged] == []


def test_no_sentence_is_written_down_while_the_page_is_away(nginx, tmp_path):
    with proxying(nginx, tmp_path, f"http://127.0.0.1:{free_port()}") as proxy:
        assert ask(f"{proxy.address}/?{urlencode({'text': SENTENCE})}")[0] == 502
        logged = proxy.logged(1)
    assert "/attn/ 502" in logged
    assert "walrus" not in logged


def test_a_page_that_is_away_is_said_in_words(nginx, tmp_path):
    with proxying(nginx, tmp_path, f"http://127.0.0.1:{free_port()}") as proxy:
        status, headers, said = ask(f"{proxy.address}/")
    assert status == 502
    assert "starting or being updated" in said
    assert "正在启动或更新" in said
    assert {name: len(headers.get_all(name) or ()) for name in HEADERS} == dict.fromkeys(HEADERS, 1)


def lives(address, seconds):
    """Whether a channel on which nobody says anything is still open after so long."""
    with connect(stream(address), subprotocols=["streamlit"], ping_interval=None) as channel:
        try:
            channel.recv(timeout=seconds)
        except TimeoutError:
            return True
        except ConnectionClosed:
            return False
    return False


def test_a_visitor_who_only_looks_is_not_cut_off_h87(nginx, tmp_path):
    """H87, with seconds in place of minutes: nginx waits 2 s for a word, and the page's pings are words."""

    def lives_on(pings):
        folder = tmp_path / pings
        folder.mkdir()
        with (
            serving(folder / "log", f"--server.websocketPingInterval={pings}", base="/attn") as below,
            proxying(nginx, folder, below, proxy_read_timeout="2s") as proxy,
        ):
            return lives(proxy.address, 6)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lives_on, ("1", "60"))) == [True, False]


def test_a_class_behind_one_address_is_let_in_and_a_flood_is_not(proxy):
    """Sixty at once; the flood is of plain requests to the channel, which is what is counted."""
    with ThreadPoolExecutor(60) as pool:
        assert list(pool.map(knock, [proxy.address] * 60)) == [101] * 60
        status = list(pool.map(ask, [f"{proxy.address}/_stcore/stream"] * 150))
    refused = [said for code, _, said in status if code == 429]
    assert refused
    assert "访问过多" in refused[0]


def test_only_what_differs_differs_between_the_two_places():
    here, there = ((SHIPPED / name).read_text().splitlines()[1:] for name in ("upstream.conf", "upstream-compose.conf"))
    assert [line.replace("heads-up:8501", "127.0.0.1:8501") for line in there] == here
