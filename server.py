"""The launcher: loads what is heavy once, guards the door, hands out single maps, and serves app.py.

Start it with `streamlit run server.py`; `uvicorn server:app` works as well.
"""

import base64
import gc
import hashlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import plotly.graph_objects  # noqa: F401  loaded before gc.freeze, so that no visitor waits for it
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

import core
from pages import PAGES
from pages.plumbing import doors, visits
from pages.plumbing.operating import accounts, logs, metrics, ready, resting, signin

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

SCRIPT = str(Path(__file__).with_name("app.py"))
ROOT = f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
CLOSED = ("/_stcore/metrics", "/_stcore/agent")
HEALTH, READY = "/_stcore/health", "/ready"
POLICY_VIOLATION = 1008
SMALL = 1000
MISDIRECTED = 421


def inline_scripts() -> list[str]:
    """Return the content-security hash of every script that stands inside Streamlit's own index.html."""
    index = Path(st.__file__).parent / "static" / "index.html"
    scripts = re.findall(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", index.read_text(encoding="utf-8"), re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def content_security_policy() -> str:
    """Return the policy: everything from this server only; blob scripts are how Streamlit loads a component."""
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self' blob:", *inline_scripts())),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'self'",
            "form-action 'self'",
            "object-src 'none'",
            "frame-ancestors 'none'",
        )
    )


HEADERS = [
    (b"content-security-policy", content_security_policy().encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """Stands before Streamlit: same-origin websockets only, names of this server only, nothing meant for operators,
    security headers on all.

    Streamlit refuses a foreign origin too, but first asks the internet for its own address, which blocks every visitor;
    and it keeps `server.allowedHosts` for websockets only.
    """

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let one connection through, or answer it here."""
        if scope["type"] == "websocket" and foreign(scope):
            await receive()
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _visit(self, scope: Message, receive: Receive, send: Send) -> None:
        limit = doors.engine().settings.idle_seconds
        try:
            with visits.one() as visit:
                told = discreet(send, visit)
                await self.app(scope, resting.watched(visit, receive, told, limit, ROOT + resting.PAGE), told)
        finally:
            visits.forget_later()

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = signin.outcome(below(scope), scope["query_string"], message, ROOT)
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await (refusal(scope) or self.app)(scope, receive, with_headers)


def discreet(send: Send, visit: visits.Visit) -> Send:
    """Keep to ourselves what Streamlit tells every visitor at the start of a run: the folder that the page lies in, and
    a number made of this machine's network address; and note which session it is. That a page is not there is said on
    the page, in the visitor's language."""

    async def without(message: Message) -> None:
        content = message.get("bytes") or b""
        visit.sent += len(content)
        if len(content) < SMALL and ForwardMsg.FromString(content).WhichOneof("type") == "page_not_found":
            return
        if SCRIPT.encode() in content:
            said = ForwardMsg.FromString(content)
            visit.session = said.new_session.initialize.session_id
            said.new_session.main_script_path = Path(SCRIPT).name
            said.new_session.initialize.user_info.installation_id_v3 = ""
            message = {**message, "bytes": said.SerializeToString()}
        await send(message)

    return without


def refusal(scope: Message) -> Response | None:
    """Return the answer to who asks for what is closed, or for a name that is not this server's; a monitor may."""
    path = below(scope)
    if path.startswith(CLOSED):
        return Response(status_code=404)
    if path in (HEALTH, READY) or is_host_allowed(Headers(scope=scope).get("host")):
        return None
    said = "\n".join(core.words.say(language, "frame.other_host") for language in core.words.languages())
    return PlainTextResponse(said, status_code=MISDIRECTED)


def below(scope: Message) -> str:
    """Return the path of a request below the page's own."""
    path: str = scope["path"]
    return path.removeprefix(ROOT)


def foreign(scope: Message) -> bool:
    """Tell whether a page of another origin opens this connection; a client that is no browser names no origin."""
    headers = Headers(scope=scope)
    return any(origin_host(origin) != headers.get("host") for origin in headers.getlist("origin"))


def origin_host(origin: str) -> str | None:
    """Return host and port of an origin, or None if it has none that can be read."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


async def one_map(request: Request) -> Response:
    """Answer with the exact bytes of one map; the key cannot be guessed, so it is the permission too."""
    try:
        found = await run_in_threadpool(doors.head_bytes, request.path_params["key"], dict(request.query_params))
    except (ValueError, core.CoreError):
        return Response(status_code=400)
    if found is None:
        return Response(status_code=404)
    content, kind = found
    headers = {"x-cells": kind, "cache-control": "private, max-age=600"}
    return Response(content, media_type="application/octet-stream", headers=headers)


async def readiness(_request: Request) -> Response:
    """Tell a monitor whether visitors find an open model."""
    return PlainTextResponse("ready\n" if ready.yet() else "not yet\n", status_code=200 if ready.yet() else 503)


async def rest(_request: Request) -> Response:
    """Send the page to which a browser is led whose page was let go."""
    return HTMLResponse(resting.document(ROOT))


async def rest_script(_request: Request) -> Response:
    """Send its script."""
    return Response(resting.script(), media_type="text/javascript")


async def first_page(request: Request) -> Response:
    """Send the first page's own address to `/`, where Streamlit has it, with everything the link says."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{ROOT}/{query}", status_code=307)


def begin() -> dict[str, Any] | None:
    """Read the settings, say where the numbers are, and open the first model; a setting that does not fit ends it.

    Returns what Streamlit has to know about where people sign in, None where nobody does.
    """
    logs.begin()
    try:
        engine = doors.engine()
        settings = engine.settings
        logs.begin(texts=bool(settings.log_texts))
        if settings.metrics_port:
            metrics.serve(settings.metrics_address, settings.metrics_port, metrics.Collected(engine.vitals))
        secrets = accounts.secrets(settings.sign_in)
    except core.CoreError as wrong:
        raise SystemExit(wrong.in_every_language()) from wrong
    logs.event(
        "started",
        metrics_port=settings.metrics_port,
        device=settings.device,
        code=bool(settings.code),
        sign_in=bool(secrets),
    )
    ready.begin()
    return secrets


PagesManager.uses_pages_directory = False
doors.serve_maps_at(f"{ROOT}/attn")
gc.collect()
gc.freeze()

app = st.App(
    SCRIPT,
    secrets=begin(),
    routes=[
        Route(f"{ROOT}/attn/{{key}}", one_map),
        Route(f"{ROOT}{READY}", readiness),
        Route(f"{ROOT}{resting.PAGE}", rest),
        Route(f"{ROOT}{resting.SCRIPT}", rest_script),
        Route(f"{ROOT}/{PAGES[0].section}", first_page),
    ],
    middleware=[Middleware(Guard)],
)
