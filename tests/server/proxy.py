"""The shipped nginx files before a page: copied as an operator copies them, with this machine's ports and places."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.conftest import ROOT, free_port

SHIPPED = ROOT / "deploy" / "nginx"
UPSTREAM = "127.0.0.1:8501"
LOGS = "/var/log/nginx"
MAIN = """
{user}
worker_processes 1;
pid {place}/nginx.pid;
error_log {place}/start.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    include heads-up/{site};
}}
"""


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """A running nginx: its address below which the page lies, and its folder."""

    address: str
    place: Path

    def logged(self, requests: int, seconds: float = 10) -> str:
        """Everything it wrote down, errors too, once so many requests are in it."""
        end = time.monotonic() + seconds
        while len((self.place / "access.log").read_text().splitlines()) < requests and time.monotonic() < end:
            time.sleep(0.05)
        return "".join((self.place / name).read_text() for name in ("access.log", "error.log", "start.log"))


def swap(path: Path, old: str, new: str, count: int = 1) -> None:
    """Put another text into a copied file, which must have the old one exactly so often."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == count, (path.name, old)
    path.write_text(text.replace(old, new), encoding="utf-8")


def copied(place: Path, site: str = "plain.conf") -> Path:
    """Lay the shipped files where nginx looks for them, and return the file that it is started with."""
    folder = place / "heads-up"
    shutil.copytree(SHIPPED, folder)
    swap(folder / "site.conf", LOGS, str(place), 2)
    user = "user root;" if os.geteuid() == 0 else ""
    (place / "nginx.conf").write_text(MAIN.format(place=place, site=site, user=user))
    return place / "nginx.conf"


@contextmanager
def proxying(nginx: str, place: Path, page: str | tuple[str, ...], port: int = 0, **swapped: str) -> Iterator[Proxy]:
    """Let nginx stand before a page or several; `swapped` are other values of what the site file has once."""
    config, port = copied(place), port or free_port()
    if isinstance(page, str):
        swap(place / "heads-up" / "upstream.conf", UPSTREAM, urlsplit(page).netloc)
    else:
        several(place / "heads-up", page)
    swap(place / "heads-up" / "plain.conf", "listen 80 ", f"listen 127.0.0.1:{port} ")
    for directive, value in swapped.items():
        swap(place / "heads-up" / "site.conf", f"{directive} {USUAL[directive]};", f"{directive} {value};")
    process = subprocess.Popen([nginx, "-c", str(config), "-g", "daemon off;"])
    try:
        wait_until_open(process, place)
        yield Proxy(address=f"http://127.0.0.1:{port}/attn", place=place)
    finally:
        process.terminate()
        process.wait(10)


def several(folder: Path, pages: tuple[str, ...]) -> None:
    """Put the file for several processes in the place of the other, as an operator does."""
    shutil.copy(folder / "upstream-many.conf", folder / "upstream.conf")
    for number, page in enumerate(pages):
        swap(folder / "upstream.conf", f"10.0.0.1{number + 1}:8501", urlsplit(page).netloc)


USUAL = {"proxy_read_timeout": "1h"}


def wait_until_open(process: subprocess.Popen, place: Path, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not (place / "nginx.pid").exists():
        assert process.poll() is None, (place / "start.log").read_text()
        assert time.monotonic() < end, "nginx did not start"
        time.sleep(0.05)
