"""In the model: how a head shares by offset, how much of it position alone explains, and which heads those are."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.positions import controls, draw
from pages.plumbing.positions.controls import say

HEADS = "pages/heads/heads.py"
NAMES = ("previous", "same", "next")
BEST = 12


def show(ref: core.TraceRef) -> None:
    """Show the chosen head by offset, then the heads that position explains."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = controls.head(ref)
    left, right = st.columns([3, 2], gap="large")
    with left:
        found = doors.ask(ref, core.analysis.offsets, choice=chosen)
        _curve(found, chosen)
    with right:
        _said(found, chosen)
    st.subheader(words.t("positions.found"), anchor=False)
    st.markdown(words.t("positions.found_lead"))
    _listed(ref, chosen)


def _curve(found: Any, chosen: core.Choice) -> None:
    drawn = found.there
    offsets, mean = found.offsets[drawn].tolist(), found.mean[drawn]
    axes = {"x": "relative", "y": "mean_share", "mark": "itself"}
    title = say("title_offsets", layer=chosen.layer, head=chosen.heads[0], axes=axes)
    chart = core.figures.curves(offsets, {words.t("positions.mean_share"): mean}, title, mark=0)
    named = {words.t("positions.relative"): offsets, words.t("positions.mean_share"): mean}
    named[words.t("positions.rows_averaged")] = found.rows[drawn].tolist()
    draw.figure(chart, "offsets", "offsets", named)


def _said(found: Any, chosen: core.Choice) -> None:
    head = {"layer": chosen.layer, "head": chosen.heads[0]}
    words.plain(words.t("heads.who_head", **head), "who", "head")
    words.plain(words.t("positions.explained", share=f"{found.explained:.0%}"), "first", "explained")
    best = found.best
    told = {"share": f"{found.mean[best]:.3f}", "offset": f"{found.offsets[best]:+d}", "rows": int(found.rows[best])}
    words.plain(words.t(f"positions.is_{found.name or 'none'}", **told), "line", "named")
    words.plain(words.t("positions.explained_note"), "note", "explained")


def _listed(ref: core.TraceRef, chosen: core.Choice) -> None:
    everyone = doors.ask(ref, core.analysis.positional, side=chosen.side, best=1_000_000)
    for name in NAMES:
        _group(name, [head for head in everyone if head.name == name], chosen)
    _group("unnamed", [head for head in everyone if head.name is None][:BEST], chosen)


def _group(name: str, heads: list[Any], chosen: core.Choice) -> None:
    words.plain(words.t(f"positions.found_{name}", count=len(heads)), "line", f"found-{name}")
    with st.container(key=f"senders-{name}", horizontal=True, gap="small"):
        for head in heads:
            here = (head.layer, (head.head,)) == (chosen.layer, chosen.heads)
            _link(head, chosen, here)


def _link(head: Any, chosen: core.Choice, here: bool) -> None:
    label = words.t("heads.sender", layer=head.layer, head=head.head, share=f"{head.explained:.2f}")
    pressed = st.button(label, key=f"positions.head.{head.layer}.{head.head}", type="primary" if here else "secondary")
    if pressed:
        now = choice.view().chosen
        there = core.Choice(side=chosen.side, layer=head.layer, heads=(head.head,), query=now.query, key=now.key)
        choice.pick(there)
        st.switch_page(HEADS)
