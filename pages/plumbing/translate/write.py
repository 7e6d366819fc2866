"""Write: the translation, token by token, and under it every head of every side."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, tables, words
from pages.plumbing.translate import about, asking, component, controls, language, maps, saved, scene
from pages.plumbing.translate.asking import Asked

KEY = "writing"
DIGITS = 4
SPOKEN = ("play", "stop", "step", "says", "source", "target", "cross", "self", "mean", "head", "next", "entropy")


def show(model: str) -> None:
    """Show the boxes, the translation with its steps, and the maps."""
    asked = asking.boxes(model)
    if asked is None:
        return
    with st.spinner(words.t("translate.working")):
        ref = doors.changed(asked.model, asked.text)
        told = doors.ask(ref, core.analysis.writing.writing)
    st.session_state[maps.TOLD] = told
    rest = _rest(asked, told)
    component.writing(_data(ref, told, asked, rest), key=KEY, on_step=_stepped)
    _sure(asked.model, told)
    maps.show(ref, told, rest)
    tables.unfolded("translate.cards", about.cards)


def _rest(asked: Asked, told: Any) -> int:
    """Return the step at which the page rests: where the other sentence of a pair parts from this one, else the least
    sure."""
    found = language.pair_of(asked.text)
    if found is not None:
        other = doors.changed(asked.model, found[0].sentence(1 - found[1]))
        step = scene.parting(told, doors.ask(other, core.analysis.writing.writing))
        if step is not None and step < len(told.moments):
            return step
    return told.moments.index(told.least)


def _data(ref: core.TraceRef, told: Any, asked: Asked, rest: int) -> dict[str, Any]:
    """Return all that the browser shows: for every step what it looked at, in every head, and what was likely."""
    cross, back = (doors.ask(ref, core.analysis.writing.looks, side=side) for side in ("cross", "decoder"))
    drawn = doors.ask(ref, core.analysis.maps, side="cross")
    source = zip(drawn.columns.labels, drawn.columns.kinds, strict=True)
    return {
        "serial": f"{asked.model} {asked.text}",
        "text": told.text,
        "pieces": told.pieces,
        "source": [{"label": label, "kind": kind} for label, kind in source],
        "begun": list(drawn.rows.labels[: told.moments[0].row + 1]),
        "steps": [_step(moment, told) for moment in told.moments],
        "cross": cross.round(DIGITS).tolist(),
        "self": back.round(DIGITS).tolist(),
        "rest": rest,
        "step": maps.step(told),
        "turn": st.session_state.get(maps.TURN, 0),
        "words": {name: words.t(f"translate.at_{name}", **_kept(name)) for name in SPOKEN},
    }


def _step(moment: Any, told: Any) -> dict[str, Any]:
    return {
        "row": moment.row,
        "label": moment.written.label,
        "special": moment.closes,
        "text": told.text if moment.closes else moment.text,
        "entropy": moment.entropy,
        "best": [
            {"label": one.label, "probability": one.probability, "written": one.ident == moment.written.ident}
            for one in moment.best
        ],
    }


def _kept(name: str) -> dict[str, str]:
    """Return the values that the browser puts in, as they stand in the message."""
    values = {
        "says": ("step", "steps"),
        "mean": ("layer",),
        "head": ("layer", "head"),
        "next": ("pieces",),
        "entropy": ("bits", "most"),
    }
    return {value: f"{{{value}}}" for value in values.get(name, ())}


def _stepped() -> None:
    """Take the step that the browser reports, checked like anything that comes from outside."""
    came, told = st.session_state[KEY].get("step"), st.session_state[maps.TOLD]
    step = came.get("step") if isinstance(came, dict) else None
    if isinstance(step, int) and not isinstance(step, bool) and 0 <= step < len(told.moments):
        controls.put("step", step)
        maps.follow(told.moments[step].row)
        choice.touch()


def _sure(model: str, told: Any) -> None:
    """Say how sure the model was, against the threshold that was measured, and where it was least sure."""
    least, threshold = told.least, saved.story(model).threshold
    values = {"token": words.quoted(least.written.label), "probability": f"{least.written.probability:.2f}"}
    if not told.ended:
        words.plain(words.t("translate.cut"), "refused", "cut")
    if threshold is None:
        words.plain(words.t("translate.least", **values), "note", "least")
    elif least.written.probability < threshold:
        words.plain(words.t("translate.unsure", threshold=f"{threshold:.2f}", **values), "refused", "unsure")
    else:
        words.plain(words.t("translate.sure", threshold=f"{threshold:.2f}", **values), "note", "least")
