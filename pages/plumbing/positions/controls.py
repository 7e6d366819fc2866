"""What a person can set on the Positions page; every option is in the address bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

import core
from pages.plumbing import choice, extras, fields, pointing

head = partial(pointing.head, "positions")


def now(name: str) -> str:
    """Return an option of this page as its word."""
    return fields.now(f"positions.{name}")


def number(name: str) -> int:
    """Return an option of this page that is a number."""
    return fields.number(f"positions.{name}")


def pick(name: str) -> None:
    """Show an option that is one of some words as a row of buttons."""
    fields.pick(f"positions.{name}")


def settings(names: Sequence[str]) -> None:
    """Show several options: numbers side by side, and below them those that are one of some words."""
    worded = [name for name in names if extras.EXTRAS[f"positions.{name}"].words]
    with st.container(key="settings", horizontal=True, gap="medium"):
        for name in names:
            if name not in worded:
                fields.count(f"positions.{name}")
    for name in worded:
        pick(name)


def one_head() -> core.Choice:
    """Return the chosen head; where a mean is chosen, the first of those it is made of."""
    chosen = choice.view().chosen
    return core.Choice(side=chosen.side, layer=chosen.layer or 0, heads=(chosen.heads or (0,))[:1])


def say(title: str, **values: object) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of this page."""
    axes: dict[str, str] = values.pop("axes")  # type: ignore[assignment]
    return fields.say("positions", title, axes, **values)
