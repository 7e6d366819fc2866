"""How they get around it: ideas as a map whose boxes open the running thing, and a table that is counted."""

from __future__ import annotations

import streamlit as st

import core
from pages.plumbing import drawn, words
from pages.plumbing.mixers import controls

spending = core.analysis.spending
BEFORE, AFTER = ("recurrent", "convolution"), ("sparse", "linear", "state", "hybrid")


def show() -> None:
    """Show the map of ideas, and then the table."""
    _boxes("before", BEFORE)
    words.plain(words.t("mixers.arrow_before"), "arrow", "before")
    with st.container(key="middle"):
        _box("softmax")
    words.plain(words.t("mixers.arrow_after"), "arrow", "after")
    _boxes("after", AFTER)
    words.plain(words.t("mixers.table"), "title", "table")
    st.markdown(words.t("mixers.table_lead"))
    with st.spinner(words.t("mixers.working")):
        _table()


def _boxes(row: str, ideas: tuple[str, ...]) -> None:
    with st.container(key=f"ideas-{row}"):
        for idea, column in zip(ideas, st.columns(len(ideas), gap="small"), strict=True):
            with column:
                _box(idea)


def _box(idea: str) -> None:
    with st.container(key=f"idea-{idea}", border=True):
        words.plain(words.t(f"mixers.idea_{idea}"), "title", f"box-{idea}")
        words.plain(words.t(f"mixers.thought_{idea}"), "line", f"box-{idea}")
        with st.container(key=f"doors-{idea}", horizontal=True, gap="small"):
            for name in [name for name, its in spending.NAMES if its == idea] or [idea]:
                if st.button(controls.called(name), key=f"mixers.open.{name}", type="tertiary"):
                    _open(name)


def _open(name: str) -> None:
    """Go to where this mixer runs: its map, or, for models of several, the experiment."""
    if name in dict(spending.NAMES):
        controls.put("big", name)
    controls.put("show", "maps" if name in dict(spending.NAMES) else "recall")
    st.rerun()


def _table() -> None:
    found = [spending.spent(name) for name, _ in spending.NAMES]
    columns = {words.t("mixers.mixer"): [controls.called(one.name) for one in found]}
    columns[words.t("mixers.per_sequence")] = [words.t(f"mixers.{_growth(one.squared)}") for one in found]
    columns[words.t("mixers.per_token")] = [words.t(f"mixers.{_next(one.squared)}") for one in found]
    for place, length in ((0, spending.LENGTHS[0]), (1, spending.LENGTHS[-1])):
        columns[words.t("mixers.each", length=f"{length:,}")] = [f"{one.work[place] // length:,}" for one in found]
    for place, length in enumerate(spending.KEPT):
        kept = [words.t("mixers.cannot_write") if one.kept is None else f"{one.kept[place]:,}" for one in found]
        columns[words.t("mixers.kept", length=f"{length:,}")] = kept
    for kind in ("parallel", "lost"):
        columns[words.t(f"mixers.{kind}")] = [controls.of(kind, one.name, one.idea) for one in found]
    columns[words.t("mixers.family")] = [words.t(f"mixers.idea_{one.idea}") for one in found]
    columns[words.t("mixers.paper")] = [words.t(f"mixers.paper_{one.name}") for one in found]
    drawn.table(columns, "mixers.table", "table")


def _growth(squared: bool) -> str:
    return "squared" if squared else "straight"


def _next(squared: bool) -> str:
    return "straight" if squared else "constant"
