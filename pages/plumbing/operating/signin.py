"""The sign-in at the door: who has not signed in sees a button, and nothing else; the link they came with is kept.

Streamlit's own `st.login` and `st.user` do the work. They lead back to the bare page, so the browser keeps the link.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from pages.plumbing import component, doors, words
from pages.plumbing.operating import accounts

LOGIN, CALLBACK = "/auth/login", f"/{accounts.CALLBACK}"
COOKIE, TOKENS = b"_streamlit_user=", b"_streamlit_user_tokens"
WORD, FAILED = "sign_in", "failed"

_link = st.components.v2.component(
    "heads_link", js=component.joined(["waiting"]) + component.joined(["link"], component.COMPONENTS / "door")
)


def passed() -> bool:
    """Tell whether this visit may go on; if it may not, ask it to sign in. Without a sign-in everybody may."""
    wanted = accounts.read(doors.engine().settings.sign_in)
    if wanted is None:
        return True
    user, failed = st.user.to_dict(), st.query_params.get(WORD) == FAILED
    known = user.get("is_logged_in") is True
    inside = known and wanted.lets_in(user)
    _link(key="signin.link", data={"inside": inside, "failed": failed})
    if not inside:
        with st.container(key="door-signin"):
            if known:
                _turn_away(user)
            else:
                _ask(wanted.provider, failed)
    return inside


def foot() -> None:
    """Say below a page who has signed in, and let them sign out."""
    if accounts.read(doors.engine().settings.sign_in) is None:
        return
    with st.container(key="account", horizontal=True, vertical_alignment="center"):
        words.plain(words.t("door.signed_in", who=_who(st.user.to_dict())), "note", "account")
        _out()


def outcome(path: str, query: bytes, message: MutableMapping[str, Any], root: str) -> MutableMapping[str, Any]:
    """Return the beginning of an answer without the provider's tokens, which nobody here needs; where signing in came
    to nothing, one that leads to the door, which says so.

    `path` is below `root`. Streamlit leads back without a word, or answers in English without a page.
    """
    if path not in (LOGIN, CALLBACK):
        return message
    headers = [pair for pair in message["headers"] if not _sets(pair, TOKENS)]
    if not _failed(path, query, message):
        return {**message, "headers": headers}
    headers = [pair for pair in headers if pair[0].lower() != b"location"]
    return {**message, "status": 302, "headers": [*headers, (b"location", f"{root}/?{WORD}={FAILED}".encode())]}


def _failed(path: str, query: bytes, message: Mapping[str, Any]) -> bool:
    if path == LOGIN:
        return bool(message["status"] >= 400)
    asked = parse_qs(query.decode("latin-1"))
    signed = any(_sets(pair, COOKIE) for pair in message["headers"])
    return path == CALLBACK and not signed and bool({"code", "error"} & set(asked))


def _sets(header: tuple[bytes, bytes], cookie: bytes) -> bool:
    """Tell whether a header sets a cookie, and does not say that it is to be forgotten."""
    name, value = header
    return name.lower() == b"set-cookie" and value.startswith(cookie) and b"max-age=0" not in value.lower()


def _ask(provider: str, failed: bool) -> None:
    st.subheader(words.t("door.sign_in_title"), anchor=False)
    words.plain(words.t("door.sign_in_note", provider=provider), "note", "door-signin")
    if failed:
        words.plain(words.t("door.sign_in_failed"), "refused", "door-signin")
    st.button(words.t("door.sign_in"), key="sign_in", type="primary", on_click=st.login)


def _turn_away(user: Mapping[str, Any]) -> None:
    st.subheader(words.t("door.not_invited"), anchor=False)
    words.plain(words.t("door.not_invited_note", who=_who(user)), "refused", "door-signin")
    _out()


def _out() -> None:
    st.button(words.t("door.sign_out"), key="sign_out", on_click=st.logout)


def _who(user: Mapping[str, Any]) -> str:
    return next((str(user[name]) for name in ("email", "name", "sub") if user.get(name)), "")
