"""How the picture is drawn: units, special tokens, colour scale, palette, side; and a note where numbers change."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

import core
from pages.plumbing import choice, link, words


def row(sides: tuple[str, ...], marked: bool) -> None:
    """Show the options in a row, and under it what the chosen ones do; `marked`: special tokens went in."""
    with st.container(key="options", horizontal=True, gap="medium"):
        if len(sides) > 1:
            named = {side: words.t(f"frame.{side}") for side in sides}
            _control("side", named, choice.view().chosen.side, _sided)
        for name, values in link.LOOKS.items():
            named = {value: words.t(f"heads.{name}_{value}") for value in values}
            _control(name, named, getattr(choice.view().look, name), _looked, name)
    for name in ("units", "special", "scale"):
        note = f"heads.{name}_{getattr(choice.view().look, name)}_note"
        if name == "special" and not marked and note in core.words.catalogue("en"):
            note = "heads.special_none_note"
        if note in core.words.catalogue("en"):
            words.plain(words.t(note), "note", name)


def _control(name: str, named: dict[str, str], now: str | None, change: Callable[..., None], *args: str) -> None:
    st.session_state.setdefault(f"field.{name}", now)
    st.segmented_control(
        words.t(f"heads.{name}"),
        named,
        key=f"field.{name}",
        format_func=named.__getitem__,
        required=True,
        on_change=change,
        args=args,
    )


def _looked(name: str) -> None:
    choice.look(**{name: st.session_state[f"field.{name}"]})


def _sided() -> None:
    now = choice.view().chosen
    there = core.Choice(side=st.session_state["field.side"], layer=now.layer, heads=now.heads)
    choice.pick(link.fitting(there, st.session_state["extent"]))
