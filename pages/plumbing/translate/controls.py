"""What a person can set on the Translate page, kept in the options of the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.plumbing import choice, fields, words

Named = Callable[[Any], str]
WIDE = {"layer": 96, "head_of": 96, "side": 210, "pair": 240, "model": 240}


def now(name: str) -> str:
    """Return an option of this page as its word."""
    return fields.now(f"translate.{name}")


def put(name: str, word: object) -> None:
    """Change an option of this page."""
    choice.set_extra(f"translate.{name}", str(word))


def pick(name: str, *, label: bool = True) -> str:
    """Show an option that is one of some words as a row of buttons, and return it."""
    fields.pick(f"translate.{name}", label=label)
    return now(name)


def buttons(name: str, named: Mapping[str, str], value: str, *, label: bool = True) -> None:
    """Show an option as a row of buttons that are called as `named` says."""
    key = _field(name)
    st.session_state[key] = value
    st.segmented_control(
        words.t(f"translate.{name}"),
        dict(named),
        key=key,
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=_picked,
        args=(name,),
    )


def select(name: str, options: Sequence[Any], value: Any, then: Callable[[], None], named: Named = str) -> None:
    """Show a list to choose from; `then` says what a choice changes."""
    key, wide = _field(name), WIDE.get(name, 150)
    st.session_state[key] = value
    st.selectbox(words.t(f"translate.{name}"), options, key=key, format_func=named, width=wide, on_change=then)


def chosen(name: str) -> Any:
    """Return what was chosen in a list."""
    return st.session_state[_field(name)]


def slide(name: str, options: Sequence[int]) -> int:
    """Show an option that is one of some numbers as a slider, and return it."""
    key = _field(name)
    number = int(now(name))
    number = min(options, key=lambda one: abs(one - number))
    st.session_state[key] = number
    st.select_slider(words.t(f"translate.{name}"), options, key=key, on_change=_picked, args=(name,))
    return number


def _field(name: str) -> str:
    return f"field.translate.{name}"


def _picked(name: str) -> None:
    put(name, st.session_state[_field(name)])
