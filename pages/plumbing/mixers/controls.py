"""What a person can set on the Mixers page, kept in the options of the address; and how mixers are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.plumbing import fields, words

PAGE = fields.Page("mixers")
now, put, pick = PAGE.now, PAGE.put, PAGE.pick


def select(name: str, options: Sequence[str]) -> str:
    """Show a list of mixers to choose one from, and return it; the first where what was chosen is not there."""
    chosen = now(name) if now(name) in options else options[0]
    st.session_state[PAGE.field(name)] = chosen
    st.selectbox(
        _label(name),
        options,
        key=PAGE.field(name),
        format_func=_named(options),
        width=320,
        on_change=PAGE.take,
        args=(name,),
    )
    return chosen


def place(name: str, labels: Sequence[str], usual: int) -> int:
    """Show the words of a sentence to choose one from, and return its place."""
    chosen = int(now(name)) if now(name) and int(now(name)) < len(labels) else usual
    st.session_state[PAGE.field(name)] = chosen
    named = labels.__getitem__
    st.selectbox(
        _label(name),
        range(len(labels)),
        key=PAGE.field(name),
        format_func=named,
        width=220,
        on_change=PAGE.take,
        args=(name,),
    )
    return chosen


def several(name: str, options: Sequence[str]) -> tuple[str, ...]:
    """Show a list of mixers to choose several from, and return those that there are."""
    chosen = [one for one in now(name).split(",") if one in options]
    st.session_state[PAGE.field(name)] = chosen
    st.multiselect(
        _label(name),
        options,
        key=PAGE.field(name),
        format_func=_named(options),
        max_selections=9,
        on_change=_several,
        args=(name,),
    )
    return tuple(chosen)


def typed(name: str, *, longest: int, **look: Any) -> str:
    """Show an option that is a text, to type, and return it."""
    return fields.typed(PAGE.option(name), longest=longest, **look)


def called(name: str) -> str:
    """Return how a mixer is called."""
    return words.t(f"mixers.name_{name}")


def of(kind: str, name: str, idea: str) -> str:
    """Return what is said of a mixer, or, where nothing is said of it alone, of its family of ideas."""
    said = words.section("mixers")
    return said[f"{kind}_{name}" if f"{kind}_{name}" in said else f"{kind}_{idea}"]


def _named(names: Sequence[str]) -> Callable[[str], str]:
    return {name: called(name) for name in names}.__getitem__


def _label(name: str) -> str:
    return words.t(f"mixers.{name}")


def _several(name: str) -> None:
    put(name, ",".join(PAGE.chosen(name)))
