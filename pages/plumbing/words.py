"""The visitor's language, and text that is shown letter by letter."""

from __future__ import annotations

import re
from functools import cache

import streamlit as st

import core
from pages.plumbing import choice

BESIDE_QUOTES = re.compile("(?<=[\u3400-\u9fff])(?=“)|(?<=”)(?=[\u3400-\u9fff])")


def t(key: str, **values: object) -> str:
    """Return a message in the visitor's language."""
    return core.words.say(choice.view().language, key, **values)


def section(prefix: str) -> dict[str, str]:
    """Return every message of one catalogue file in the visitor's language, by its short key."""
    return dict(_section(choice.view().language, prefix))


@cache
def _section(language: str, prefix: str) -> dict[str, str]:
    messages = core.words.catalogue(language)
    return {key.removeprefix(prefix + "."): text for key, text in messages.items() if key.startswith(prefix + ".")}


def error(refused: core.CoreError) -> str:
    """Return what the core refused, in the visitor's language."""
    return t(f"errors.{refused.key}", **refused.values)


def plain(text: str, kind: str, key: str) -> None:
    """Show text letter by letter, never as markup; `kind` names the look in assets/style."""
    with st.container(key=f"{kind}-{key}"):
        letters(text)


def letters(text: str) -> None:
    """Show text letter by letter in the look of what is around it.

    Between a Chinese letter and a quotation mark a line may end, which a browser does not allow around Latin letters.
    """
    st.text(BESIDE_QUOTES.sub("\u200b", text))


def quoted(label: str, mark: str = "") -> str:
    """Quote a token, kept apart from the text around it so that its writing direction stays its own; with its mark."""
    return t("frame.quoted", token=f"\u2068{label}\u2069{mark}")


def switch() -> None:
    """Show the two languages, each under its own name."""
    st.session_state.setdefault("field.language", choice.view().language)
    with st.container(key="language"):
        st.segmented_control(
            t("frame.language"),
            core.words.languages(),
            key="field.language",
            format_func=lambda name: core.words.say(name, "frame.own_name"),
            label_visibility="collapsed",
            required=True,
            on_change=_switch,
        )


def _switch() -> None:
    chosen = st.session_state["field.language"]
    if chosen in core.words.languages():
        choice.change(language=chosen)
