"""A page on which nobody has done anything for long is let go: its browser is led to a page that says so.

What was looked at is in the address before, so going back opens it again; the server keeps nothing meanwhile.
"""

from __future__ import annotations

import asyncio
import html
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import core
from pages.plumbing import visits
from pages.plumbing.component import COMPONENTS

PAGE, SCRIPT = "/resting", "/resting.mjs"
GRACE = 5.0
GONE = {"type": "websocket.disconnect", "code": 1001}
STYLE = (
    ":root{color-scheme:light dark}a{font-weight:650;color:light-dark(#a03010,#ffa57f)}"
    "body{font:1.05rem/1.6 system-ui,sans-serif;max-width:40rem;margin:18vh auto;padding:0 1.2rem;"
    "background:light-dark(#fbfaf7,#14141a);color:light-dark(#1c1b22,#eceae4)}"
)

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]


def watched(visit: visits.Visit, receive: Receive, send: Send, limit: float, page: str) -> Receive:
    """Return what a page receives; where its person does nothing for `limit` seconds, its browser is told to go to
    `page`, and a little later the connection is taken as closed. With 0 nobody is sent away."""
    sent_away = False

    async def received() -> Message:
        nonlocal sent_away
        while True:
            left = GRACE if sent_away else visit.seen + limit - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(left, 0.0) if limit else None)
            except TimeoutError:
                if sent_away:
                    return GONE
                sent_away = True
                visits.rest()
                await send({"type": "websocket.send", "bytes": _leading(page)})
                continue
            if by_a_person(message):
                visit.seen = time.monotonic()
            return message

    return received


def by_a_person(message: Message) -> bool:
    """Tell whether a person did something, and not a page that asks for news by itself."""
    try:
        said = BackMsg.FromString(message.get("bytes") or b"")
    except DecodeError:
        return False
    asked = said.WhichOneof("type")
    return asked not in (None, "app_heartbeat") and not (asked == "rerun_script" and said.rerun_script.is_auto_rerun)


def document(root: str) -> str:
    """Return the page that says so, in every language: who has been away for long is no session any more."""
    told = "".join(
        f"<p lang={language}>{html.escape(core.words.say(language, 'door.resting'))} "
        f'<a href="{root}/">{html.escape(core.words.say(language, "door.go_on"))}</a></p>'
        for language in core.words.languages()
    )
    head = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Heads Up</title>"
    return f"{head}<style>{STYLE}</style>{told}<script type=module src={root}{SCRIPT}></script>"


def script() -> str:
    """Return what lets its link lead back to what was looked at."""
    return (COMPONENTS / "door" / "resting.mjs").read_text("utf-8")


def _leading(page: str) -> bytes:
    message = ForwardMsg()
    message.auth_redirect.url = page
    return message.SerializeToString()
