"""What a person can set on the Positions page; every option is in the address bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

import core
from pages.plumbing import choice, extras, fields, pointing

PAGE = fields.Page("positions")
now, number, pick = PAGE.now, PAGE.number, PAGE.pick
head = partial(pointing.head, "positions")


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
