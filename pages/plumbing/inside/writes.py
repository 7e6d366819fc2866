"""What a head writes: the pieces it pushes up and down, and what the model would say after each layer."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import doors, drawn, pointing, words
from pages.plumbing.sheets import measured

BEST = 8
GUESSES = 5


def show(ref: core.TraceRef) -> None:
    """Show what the chosen head writes at the chosen token; a model without an output head says so."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = pointing.placed(ref, pointing.head("inside", ref))
        pointing.query_box("inside", ref, chosen)
    if chosen.side == "encoder" and len(ref.sides) > 1:
        words.plain(words.t("inside.only_reads"), "refused", "writes")
        return
    position = chosen.query or 0
    try:
        found = doors.ask(ref, pushed, query=position, **pointing.where(chosen))
        guesses = doors.ask(ref, core.analysis.depth.lens, position=position, best=GUESSES)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "writes")
        return
    token = words.quoted(pointing.labels(ref, chosen.side)[0][position])
    key = "told_pushes" if found.straight else "told_pushes_asked"
    words.plain(words.t(f"inside.{key}", head=chosen.heads[0], query=token), "line", "told-pushes")
    _pushes(found)
    _lens(guesses, token)


def pushed(trace: core.Trace, layer: int, head: int, side: str | None, query: int) -> Any:
    """Ask what a head's output pushes at one position."""
    written = core.analysis.explain(trace, layer, head, query, 0, side).moved.written
    return core.analysis.depth.pushes(trace, written, query, BEST)


def _pushes(found: Any) -> None:
    for column, name in zip(st.columns(2, gap="large"), ("up", "down"), strict=True):
        with column:
            words.plain(words.t(f"inside.pushes_{name}"), "who", f"pushes-{name}")
            rows = getattr(found, name)
            pieces, push = [label for _, label, _ in rows], [push for _, _, push in rows]
            whole = {words.t("inside.piece"): pieces, words.t("inside.push"): push}
            shown = {**whole, words.t("inside.push"): [*map(measured, push)]}
            drawn.table(shown, f"inside.pushes-{name}", "pushes" if found.straight else "pushes_asked", whole)


def _lens(guesses: Any, token: str) -> None:
    st.subheader(words.t("inside.lens"), anchor=False)
    words.plain(words.t("inside.lens_note", query=token), "line", "lens-note")
    shown: dict[str, Any] = {words.t("inside.layer"): [str(layer) for layer in range(len(guesses))]}
    whole = dict(shown)
    for rank in range(GUESSES):
        column = [row[rank] for row in guesses]
        name = words.t("inside.guess", rank=rank + 1)
        shown[name] = [f"{guess.label}  {measured(guess.probability)}" for guess in column]
        whole[name] = [guess.label for guess in column]
        whole[words.t("inside.chance", rank=rank + 1)] = [guess.probability for guess in column]
    drawn.table(shown, "inside.lens", "lens", whole)
