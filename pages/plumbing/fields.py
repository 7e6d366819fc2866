"""What a person can set on a page: options that are in the address bar, by their names there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.plumbing import choice, extras, words


def now(option: str) -> str:
    """Return an option as its word."""
    return choice.extra(option)


def number(option: str) -> int:
    """Return an option that is a number."""
    return int(now(option))


def pick(option: str, *, label: bool = True) -> None:
    """Show an option that is one of some words as a row of buttons."""
    named = {word: words.t(f"{option}_{word}") for word in extras.EXTRAS[option].words}
    st.session_state[f"field.{option}"] = now(option)
    st.segmented_control(
        words.t(option),
        named,
        key=f"field.{option}",
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=_picked,
        args=(option,),
    )


def count(option: str) -> None:
    """Show an option that is a number, to type or to step through."""
    _ranged(st.number_input, option, 150)


def slide(option: str) -> None:
    """Show an option that is a number, to slide along."""
    _ranged(st.slider, option, 340)


def several(option: str, width: int) -> tuple[int, ...]:
    """Show an option that is a list of numbers below `width`, and return those of them that there are."""
    chosen = tuple(place for place in extras.numbers(now(option)) if place < width) or (0,)
    st.session_state[f"field.{option}"] = list(chosen)
    st.multiselect(
        words.t(option), range(width), key=f"field.{option}", max_selections=6, on_change=_several, args=(option,)
    )
    return chosen


def say(page: str, title: str, axes: Mapping[str, str], **values: Any) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of its page."""
    named = {name: words.t(f"{page}.{key}") for name, key in axes.items()}
    return {"title": words.t(f"{page}.{title}", **values), **named}


def _ranged(show: Callable[..., Any], option: str, width: int) -> None:
    first, last, step = extras.EXTRAS[option].reach
    st.session_state[f"field.{option}"] = number(option)
    key = f"field.{option}"
    show(words.t(option), first, last, step=step, key=key, width=width, on_change=_picked, args=(option,))


def _picked(option: str) -> None:
    choice.set_extra(option, str(st.session_state[f"field.{option}"]))


def _several(option: str) -> None:
    choice.set_extra(option, ",".join(map(str, st.session_state[f"field.{option}"])))
