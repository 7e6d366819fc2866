"""Which heads send this token to that one: two tokens are chosen, the best heads are listed and the grid sorts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, reading, words


def show(ref: core.TraceRef, drawn: Any) -> None:
    """Show the question, its two tokens, and the heads in which the first gives the second most."""
    st.subheader(words.t("heads.senders"), anchor=False)
    with st.container(key="pair", horizontal=True, gap="medium"):
        _token("query", drawn.rows)
        _token("key", drawn.columns)
    chosen = choice.view().chosen
    if chosen.query is None or chosen.key is None:
        words.plain(words.t("heads.senders_hint"), "note", "senders")
        return
    pair = {"query": chosen.query, "key": chosen.key}
    look = choice.view().look
    try:
        best = doors.ask(ref, core.analysis.senders, side=chosen.side, **pair, units=look.units, special=look.special)
    except core.CoreError:
        words.plain(words.t("heads.senders_hidden"), "note", "senders")
        return
    _best(best, chosen, drawn)


def _best(best: Sequence[Any], chosen: core.Choice, drawn: Any) -> None:
    query, key, name = drawn.rows.at(chosen.query), drawn.columns.at(chosen.key), reading.naming(drawn, words.quoted)
    labels = {
        "query": name(drawn.rows.labels[query], drawn.rows.members[query][0]),
        "other": name(drawn.columns.labels[key], drawn.columns.members[key][0]),
    }
    words.plain(words.t("heads.senders_note", **labels), "note", "senders")
    with st.container(key="senders", horizontal=True, gap="small"):
        for sender in best:
            _sender(sender, chosen)


def _token(which: str, units: Any) -> None:
    """Offer every token as the one that looks (`query`) or the one that is looked at (`key`)."""
    name, places = f"field.{which}", [members[0] for members in units.members]
    named = core.figures.marked(units.labels)
    st.session_state[name] = units.at(getattr(choice.view().chosen, which))
    st.selectbox(
        words.t(f"heads.{which}"),
        range(len(units)),
        key=name,
        format_func=named.__getitem__,
        placeholder=words.t("heads.choose_token"),
        on_change=_paired,
        args=(which, places),
    )


def _paired(which: str, places: Sequence[int]) -> None:
    """Take one token of the question; with both of them the grid sorts. A browser that still shows the sentence before
    sends a word that is gone: that is no answer."""
    unit = st.session_state[f"field.{which}"]
    if isinstance(unit, str):
        return
    chosen = choice.with_token(which, None if unit is None else places[unit])
    choice.look(sort=chosen.query is not None and chosen.key is not None)


def _sender(sender: Any, chosen: core.Choice) -> None:
    here = (sender.layer, (sender.head,)) == (chosen.layer, chosen.heads)
    there = core.Choice(side=chosen.side, layer=sender.layer, heads=(sender.head,), query=chosen.query, key=chosen.key)
    st.button(
        words.t("heads.sender", layer=sender.layer, head=sender.head, share=reading.share(sender.share)),
        key=f"sender.{sender.layer}.{sender.head}",
        type="primary" if here else "secondary",
        on_click=choice.pick,
        args=(there,),
    )
