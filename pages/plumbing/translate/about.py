"""What the two models are, what was measured, and what they cannot do."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.plumbing import ask, words
from pages.plumbing.translate import asking, saved
from pages.plumbing.translate.saved import Story

FIGURES = {
    "exact": ("held_out", "pair", "exact"),
    "combination": ("held_out", "combination", "exact"),
    "pronouns": ("held_out", "pair", "pronouns"),
    "minimal": ("minimal_pairs", "pronouns"),
}
LOOKS = {"prefers_it": "it", "prefers_word": "adjective"}


def cards() -> None:
    """Show for each model how it was trained and what was measured on sentences it never saw."""
    st.markdown(words.t("translate.cannot"))
    models = [name for name in (asking.PLAIN, asking.GUIDED) if asking.have(name)]
    stories = {name: saved.story(name) for name in models}
    asking.disclosed(*models)
    columns: dict[str, list[Any]] = {
        words.t("translate.figure"): [words.t(f"translate.{key}") for key in (*FIGURES, *LOOKS)]
    }
    for name, told in stories.items():
        for seed, measured in _seeds(told):
            columns[words.t("translate.seeded", model=ask.called(name), seed=seed)] = _figures(measured)
    if len(columns) > 1:
        st.dataframe(columns, hide_index=True, height="content", key="translate.cards")
    for name, told in stories.items():
        if told.command:
            values = {key: told.find(key) or "–" for key in ("date", "machine", "parameters", "pairs", "steps")}
            words.plain(words.t("translate.card", model=ask.called(name), command=told.command, **values), "note", name)
    sizes()


def sizes() -> None:
    """Say how this model compares with the one of the paper."""
    words.plain(words.t("translate.base"), "note", "base")


def share(found: Any) -> str:
    """Write a share as a percentage, or that there is none."""
    return f"{found:.1%}" if isinstance(found, int | float) else "–"


def _figures(measured: Any) -> list[str]:
    """Return the figures of one training in the order of the table."""
    told = Story(told={"measured": measured})
    found = [told.find("measured", *path) for path in FIGURES.values()]
    return list(map(share, (*found, *(told.preferred(looks) for looks in LOOKS.values()))))


def _seeds(told: Story) -> list[tuple[Any, Any]]:
    first = [(told.find("seed"), told.find("measured"))] if told.find("measured") else []
    return first + [(one.get("seed"), one.get("measured")) for one in told.find("other_seeds") or []]
