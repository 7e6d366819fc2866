"""Swap the scheme: one text, one small untrained stack, and every way of telling it the order, side by side."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, words
from pages.plumbing.positions import controls, draw
from pages.plumbing.positions.controls import now, say
from pages.plumbing.sheets import measured

schemes, shuffles, figures = core.analysis.schemes, core.analysis.shuffles, core.figures
PARTS, ABREAST = 80, 3
SOURCES = {"none": "blind", "learned": "learned_drawn", "buckets": "buckets_drawn"}


def show(_: core.TraceRef) -> None:
    """Show what every scheme adds to the scores of the text, and what it gives to a key at each distance."""
    words.plain(words.t("positions.untrained"), "line", "untrained")
    text = shuffles.begin(choice.view().asked.text, PARTS)
    parts = list(shuffles.parts_of(text))
    words.plain(words.t("positions.swap_parts", count=len(parts)), "note", "parts")
    names = list(schemes.table())
    for first in range(0, len(names), ABREAST):
        for name, column in zip(names[first : first + ABREAST], st.columns(ABREAST, gap="medium"), strict=False):
            with column:
                _one(name, text, parts)
    st.subheader(words.t("positions.decay"), anchor=False)
    st.markdown(words.t("positions.decay_lead", trained=schemes.trained()))
    with st.container(key="options", horizontal=True):
        controls.pick("beyond")
    for kind in ("rows", "scores"):
        _decay(kind, int(now("beyond")))
    _ends()


def _one(name: str, text: str, parts: list[str]) -> None:
    scheme = schemes.table()[name]
    words.plain(words.t(f"positions.name_{name}"), "title", name)
    words.plain(words.t(f"positions.door_{scheme.door}"), "note", f"door-{name}")
    try:
        found = schemes.added(text, name)
    except core.CoreError as refused:
        words.plain(words.t("positions.stops", came=len(parts), **_allowed(refused)), "refused", name)
        return
    axes = {"rows": "query", "columns": "looked_at", "value": "added"}
    chart = figures.signed_map(found.added, parts, parts, say("title_added", axes=axes), height=330)
    draw.figure(chart, f"added-{name}", SOURCES.get(name, _source(name)), draw.grid(found.added, parts, parts))
    said = words.t(f"positions.added_{found.manner}", spread=measured(found.spread))
    words.plain(said, "note", f"spread-{name}")


def _allowed(refused: core.CoreError) -> dict[str, Any]:
    return {"allowed": refused.values.get("allowed")}


def _source(name: str) -> str:
    return {"rotary-linear": "linear", "rotary-yarn": "yarn"}.get(name, name.partition("-")[0])


def _decay(kind: str, farthest: int) -> None:
    names = [name for name, scheme in schemes.table().items() if (scheme.door == "scores") == (kind == "scores")]
    found = {name: schemes.curve(name, farthest)[1] for name in names if name != "none"}
    series = {words.t(f"positions.name_{name}"): values for name, values in found.items()}
    distances = list(range(farthest + 1))
    title = say(f"title_decay_{kind}", axes={"x": "distance", "y": f"decay_{kind}", "mark": "trained"})
    chart = figures.curves(distances, series, title, mark=schemes.trained())
    draw.figure(chart, f"decay-{kind}", f"decay_{kind}", {words.t("positions.distance"): distances, **series})


def _ends() -> None:
    names = [name for name in schemes.table() if name != "none"]
    rows = {
        "scheme_column": [words.t(f"positions.name_{name}") for name in names],
        "beyond_column": [words.t(f"positions.beyond_{name}") for name in names],
    }
    st.dataframe(
        {words.t(f"positions.{key}"): values for key, values in rows.items()},
        hide_index=True,
        height="content",
        key="positions.ends",
    )
