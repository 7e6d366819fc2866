"""A beam search while it runs: its place in the line of those who write, how far it is, and a button that ends it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.generate import asking

TREE = "generate.tree"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is searched for, with so many beginnings in view."""

    wanted: core.engine.Wanted
    beams: int
    penalty: float


def found(asked: Asked) -> core.Tree | None:
    """Return the tree of a search; the last one is kept for the visit. None where somebody stopped it."""
    if kept()[0] != asked:
        st.session_state[TREE] = asked, _watched(asked)
    tree = kept()[1]
    if tree is None:
        with st.container(key="again", horizontal=True, gap="small", vertical_alignment="center"):
            words.plain(words.t("generate.search_stopped"), "line", "ended")
            st.button(words.t("generate.search_again"), key="generate.search_again", on_click=_again)
    return tree


def kept() -> tuple[Asked | None, core.Tree | None]:
    """Return what was searched for last in this visit, and its tree."""
    found: tuple[Asked | None, core.Tree | None] = st.session_state.get(TREE, (None, None))
    return found


def _watched(asked: Asked) -> core.Tree | None:
    """Search, and show how far it is; nothing is left of that once the tree is there."""
    bar, line = st.empty(), st.empty()
    bar.button(words.t("generate.stop_now"), key="generate.halt", type="primary", on_click=_halt, args=(asked,))
    line.text(words.t("generate.searching", length=0, limit=asked.wanted.limit))
    coming = doors.engine().searching(asked.wanted, asking.session(), beams=asked.beams, length_penalty=asked.penalty)
    tree = None
    with closing(coming):  # type: ignore[type-var]
        for one in coming:
            if isinstance(one, core.Tree):
                tree = one
            elif isinstance(one, core.engine.Waiting):
                line.text(words.t("generate.queue", ahead=one.ahead))
            else:
                line.text(words.t("generate.searching", length=one.length, limit=asked.wanted.limit))
    bar.empty()
    line.empty()
    return tree


def _halt(asked: Asked) -> None:
    st.session_state[TREE] = asked, None
    doors.engine().stop(asking.session())
    choice.touch()


def _again() -> None:
    del st.session_state[TREE]
    choice.touch()
