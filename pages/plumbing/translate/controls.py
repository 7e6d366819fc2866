"""What a person can set on the Translate page, kept in the options of the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.plumbing import fields, words

Named = Callable[[Any], str]
PAGE = fields.Page("translate")
now, put, pick, chosen = PAGE.now, PAGE.put, PAGE.pick, PAGE.chosen
WIDE = {"layer": 96, "head_of": 96, "side": 210, "pair": 240, "model": 240}


def buttons(name: str, named: Mapping[str, str], value: str, *, label: bool = True) -> None:
    """Show an option as a row of buttons that are called as `named` says."""
    key = PAGE.field(name)
    st.session_state[key] = value
    st.segmented_control(
        words.t(f"translate.{name}"),
        dict(named),
        key=key,
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=PAGE.take,
        args=(name,),
    )


def select(name: str, options: Sequence[Any], value: Any, then: Callable[[], None], named: Named = str) -> None:
    """Show a list to choose from; `then` says what a choice changes."""
    key, wide = PAGE.field(name), WIDE.get(name, 150)
    st.session_state[key] = value
    st.selectbox(words.t(f"translate.{name}"), options, key=key, format_func=named, width=wide, on_change=then)


def slide(name: str, options: Sequence[int]) -> int:
    """Show an option that is one of some numbers as a slider, and return it."""
    key = PAGE.field(name)
    number = int(now(name))
    number = min(options, key=lambda one: abs(one - number))
    st.session_state[key] = number
    st.select_slider(words.t(f"translate.{name}"), options, key=key, on_change=PAGE.take, args=(name,))
    return number
