"""What a person can set on the Generate page, kept in the options of the address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.plumbing import choice, fields, link, words

LARGEST = {"temperature": 9.0, "top_p": 1.0, "min_p": 1.0, "penalty": 3.0}
PAGE = fields.Page("generate")
now, put, number, chosen = PAGE.now, PAGE.put, PAGE.number, PAGE.chosen
pick, count, slide = PAGE.pick, PAGE.count, PAGE.slide
say = partial(fields.say, "generate")


def along(name: str, last: int, first: int = 0) -> int:
    """Show an option that is a whole number, to slide along what there is, and return it within that."""
    key, place = f"field.generate.{name}", min(max(number(name), first), last)
    if first == last:
        return first
    st.session_state[key] = place
    st.slider(words.t(f"generate.{name}"), first, last, key=key, on_change=PAGE.take, args=(name,))
    return place


def decimal(name: str, step: float) -> float:
    """Show an option that is a number with a point, and return it."""
    key = f"field.generate.{name}"
    st.session_state[key] = float(now(name))
    label, most = words.t(f"generate.{name}"), LARGEST[name]
    st.number_input(label, 0.0, most, step=step, format="%g", key=key, width=120, on_change=_decided, args=(name,))
    return float(now(name))


def select(
    name: str,
    options: Sequence[Any],
    value: Any,
    then: Callable[[], None],
    *,
    wide: int = 110,
    named: Callable[[Any], str] = str,
) -> None:
    """Show a list to choose from; `then` says what a choice changes."""
    key = f"field.generate.{name}"
    st.session_state[key] = value
    st.selectbox(words.t(f"generate.{name}"), options, key=key, width=wide, format_func=named, on_change=then)


def box(name: str, *, longest: int, then: Callable[[], None] | None = None, empty: str = "", height: int = 68) -> str:
    """Show a box for a text that is an option, and return the text."""
    hint = "" if empty else words.t(f"generate.{name}_hint")
    shown: dict[str, Any] = {"height": height, "placeholder": hint}
    text = fields.typed(PAGE.option(name), longest=longest, then=then, empty=empty, **shown)
    linked(name)
    return text


def linked(name: str) -> None:
    """Say so where a text is too long for the link."""
    if not choice.in_link(f"generate.{name}"):
        words.plain(words.t("generate.long_link", limit=link.LONGEST), "note", f"link-{name}")


def _decided(name: str) -> None:
    put(name, f"{chosen(name):.4f}".rstrip("0").rstrip("."))
