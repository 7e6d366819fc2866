"""What a person can set on the Positions page; every option is in the address bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, extras, words

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def now(name: str) -> str:
    """Return an option of this page as its word."""
    return choice.extra(f"positions.{name}")


def number(name: str) -> int:
    """Return an option of this page that is a number."""
    return int(now(name))


def pick(name: str, *, label: bool = True) -> None:
    """Show an option that is one of some words as a row of buttons."""
    option = f"positions.{name}"
    named = {word: words.t(f"positions.{name}_{word}") for word in extras.EXTRAS[option].words}
    st.session_state[f"field.{option}"] = now(name)
    st.segmented_control(
        words.t(f"positions.{name}"),
        named,
        key=f"field.{option}",
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=_picked,
        args=(option,),
    )


def count(name: str) -> None:
    """Show an option that is a number, to type or to step through."""
    option = f"positions.{name}"
    first, last, step = extras.EXTRAS[option].reach
    st.session_state[f"field.{option}"] = number(name)
    st.number_input(
        words.t(f"positions.{name}"),
        first,
        last,
        step=step,
        key=f"field.{option}",
        width=150,
        on_change=_picked,
        args=(option,),
    )


def settings(names: Sequence[str]) -> None:
    """Show several options: numbers side by side, and below them those that are one of some words."""
    worded = [name for name in names if extras.EXTRAS[f"positions.{name}"].words]
    with st.container(key="settings", horizontal=True, gap="medium"):
        for name in names:
            if name not in worded:
                count(name)
    for name in worded:
        pick(name)


def slide(name: str) -> None:
    """Show an option that is a number, to slide along."""
    option = f"positions.{name}"
    first, last, step = extras.EXTRAS[option].reach
    st.session_state[f"field.{option}"] = number(name)
    st.slider(
        words.t(f"positions.{name}"),
        first,
        last,
        step=step,
        key=f"field.{option}",
        width=340,
        on_change=_picked,
        args=(option,),
    )


def dimensions(width: int) -> tuple[int, ...]:
    """Show which single dimensions are drawn, and return those of them that there are."""
    option = "positions.curves"
    chosen = tuple(place for place in extras.numbers(choice.extra(option)) if place < width) or (0,)
    st.session_state[f"field.{option}"] = list(chosen)
    st.multiselect(
        words.t(option),
        range(width),
        key=f"field.{option}",
        max_selections=6,
        on_change=_several,
        args=(option,),
    )
    return chosen


def head(ref: core.TraceRef) -> core.Choice:
    """Show which head is looked at, the same as on the other pages, and return it."""
    chosen, extent = one_head(), doors.extent(ref)
    _select("layer", extent.layers, chosen.layer)
    _select("head", extent.heads, chosen.heads[0])
    return chosen


def one_head() -> core.Choice:
    """Return the chosen head; where a mean is chosen, the first of those it is made of."""
    chosen = choice.view().chosen
    return core.Choice(side=chosen.side, layer=chosen.layer or 0, heads=(chosen.heads or (0,))[:1])


def _select(name: str, count: int, value: int | None) -> None:
    st.session_state[f"field.positions.{name}"] = value
    st.selectbox(
        words.t(f"positions.{name}"), range(count), key=f"field.positions.{name}", width=110, on_change=_headed
    )


def _headed() -> None:
    field, chosen = st.session_state, choice.view().chosen
    choice.pick(
        core.Choice(
            side=chosen.side,
            layer=field["field.positions.layer"],
            heads=(field["field.positions.head"],),
            query=chosen.query,
            key=chosen.key,
        )
    )


def _picked(option: str) -> None:
    choice.set_extra(option, str(st.session_state[f"field.{option}"]))


def _several(option: str) -> None:
    choice.set_extra(option, ",".join(map(str, st.session_state[f"field.{option}"])))


def measured(value: float) -> str:
    """Write a measured number shortly, a very small one with its power of ten."""
    if value == 0 or abs(value) >= 1e-3:
        return f"{value:.3g}".replace("-", "−")
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}"


def say(title: str, **values: Any) -> Mapping[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of this page."""
    rest = {name: words.t(f"positions.{key}") for name, key in values.pop("axes").items()}
    return {"title": words.t(f"positions.{title}", **values), **rest}
