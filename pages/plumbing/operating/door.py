"""A door with a code: one for a class, another for whoever runs the server.

A visit that knows the code is let in until it ends; guessing is slowed down, since nothing here can tell who guesses.
"""

from __future__ import annotations

import hmac
import time

import streamlit as st

from pages.plumbing import choice, words

PATIENCE = 1.0


def passed(name: str, code: str) -> bool:
    """Tell whether this visit may go on; if it may not yet, ask it for the code. Without a code everybody may."""
    if not code or st.session_state.get(f"passed.{name}"):
        return True
    with st.container(key=f"door-{name}"):
        st.subheader(words.t(f"door.{name}"), anchor=False)
        words.plain(words.t(f"door.{name}_note"), "note", f"door-{name}")
        st.text_input(
            words.t("door.code"), key=f"field.code.{name}", type="password", on_change=_try, args=(name, code)
        )
        if st.session_state.pop(f"wrong.{name}", False):
            words.plain(words.t("door.wrong"), "refused", f"door-{name}")
    return False


def _try(name: str, code: str) -> None:
    given = str(st.session_state.pop(f"field.code.{name}", "")).strip()
    if not given:
        return
    right = hmac.compare_digest(given.encode("utf-8", "replace"), code.encode())
    st.session_state[f"passed.{name}"], st.session_state[f"wrong.{name}"] = right, not right
    choice.touch()
    if not right:
        time.sleep(PATIENCE)
