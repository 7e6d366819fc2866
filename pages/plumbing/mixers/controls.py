"""What a person can set on the Mixers page, kept in the options of the address; and how mixers are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.plumbing import choice, fields, words


def now(name: str) -> str:
    """Return an option of this page as its word."""
    return fields.now(f"mixers.{name}")


def put(name: str, word: object) -> None:
    """Change an option of this page."""
    choice.set_extra(f"mixers.{name}", str(word))


def pick(name: str, *, label: bool = True) -> str:
    """Show an option that is one of some words as a row of buttons, and return it."""
    fields.pick(f"mixers.{name}", label=label)
    return now(name)


def select(name: str, options: Sequence[str]) -> str:
    """Show a list of mixers to choose one from, and return it; the first where what was chosen is not there."""
    chosen = now(name) if now(name) in options else options[0]
    st.session_state[_field(name)] = chosen
    st.selectbox(
        _label(name), options, key=_field(name), format_func=_named(options), width=320, on_change=_put, args=(name,)
    )
    return chosen


def place(name: str, labels: Sequence[str], usual: int) -> int:
    """Show the words of a sentence to choose one from, and return its place."""
    chosen = int(now(name)) if now(name) and int(now(name)) < len(labels) else usual
    st.session_state[_field(name)] = chosen
    named = labels.__getitem__
    st.selectbox(
        _label(name), range(len(labels)), key=_field(name), format_func=named, width=220, on_change=_put, args=(name,)
    )
    return chosen


def several(name: str, options: Sequence[str]) -> tuple[str, ...]:
    """Show a list of mixers to choose several from, and return those that there are."""
    chosen = [one for one in now(name).split(",") if one in options]
    st.session_state[_field(name)] = chosen
    st.multiselect(
        _label(name),
        options,
        key=_field(name),
        format_func=_named(options),
        max_selections=9,
        on_change=_several,
        args=(name,),
    )
    return tuple(chosen)


def typed(name: str, show: Callable[..., Any], **look: Any) -> str:
    """Show an option that is a text, to type, and return it."""
    st.session_state[_field(name)] = now(name)
    show(_label(name), key=_field(name), on_change=_put, args=(name,), **look)
    return now(name)


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


def _field(name: str) -> str:
    return f"field.mixers.{name}"


def _put(name: str) -> None:
    put(name, st.session_state[_field(name)])


def _several(name: str) -> None:
    put(name, ",".join(st.session_state[_field(name)]))
