"""What was written: every step, back and forth, with what else could have stood there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, drawn, words
from pages.plumbing.generate import component, controls, live, maps, stitch, telling
from pages.plumbing.generate.run import Run, readable

KEY = "written"
FORCED, SHOWN = "generate.was_forced", "generate.shown"


@st.fragment
def show(ref: core.TraceRef, run: Run, most: int) -> None:
    """Show the steps; going from one to another reruns this and nothing else."""
    if st.session_state.pop(FORCED, False):
        st.rerun(scope="app")
    run = replace(run, steps=list(run.steps))  # a click on "go on" may add steps while these are still being drawn
    st.session_state[SHOWN] = run
    words.plain(run.text, "first", "text")
    if run.before:
        words.plain(words.t("generate.trunk", text=run.before), "note", "trunk")
    step = min(controls.number("step"), len(run.steps) - 1)
    named = doors.ask(ref, telling.names, idents=tuple(ident for one in run.steps for ident in one.others))
    labels = doors.ask(ref, telling.axes)
    component.written(_data(ref, run, step, named, labels), key=KEY, on_step=_stepped, on_force=_forced)
    drawn.under("generate.steps", "steps", _sheet(run, named))
    st.subheader(words.t("generate.rows"), anchor=False)
    if run.wanted.watch and run.steps[0].rows:
        words.plain(words.t("generate.rows_note"), "note", "rows")
        tokens = {**labels, "decoder": (*labels["decoder"], *(one.label for one in run.steps))}
        maps.show(run, tokens, step)
    else:
        words.plain(words.t("generate.too_wide", most=most), "line", "wide")
    _charts(run)
    choice.publish()


def spelled(trace: core.Trace, texts: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    """Ask what tokens say, several texts of them."""
    return tuple(readable(trace.model.reader.of_ids(list(text)).text) for text in texts)


def _data(ref: core.TraceRef, run: Run, step: int, named: tuple[str, ...], labels: Any) -> dict[str, Any]:
    waiting = iter(named)
    return {
        "serial": f"{run.wanted!r}",
        "steps": [telling.told(one, run, waiting) for one in run.steps],
        "step": step,
        "row": telling.row(run, labels, maps.wished(stitch.sides(run.steps)), step),
        **live.shared(ref, labels),
    }


def _stepped() -> None:
    """Take the step that the browser reports, checked like anything that comes from outside."""
    came = _came("step")
    if came is not None:
        controls.put("step", came["step"])
        maps.rise()


def _forced() -> None:
    """Take the token that is to stand at a step instead, and go on from there."""
    came = _came("force")
    ident = came.get("ident") if came else None
    if came is None or isinstance(ident, bool) or not isinstance(ident, int) or ident < 0:
        return
    run: Run = st.session_state[SHOWN]
    controls.put("forced", ".".join(map(str, core.branch(run.steps, came["step"], ident))))
    controls.put("step", came["step"])
    st.session_state[FORCED] = True


def _came(name: str) -> dict[str, Any] | None:
    """Return what the browser reports, if it belongs to the text that is shown and names a step of it."""
    came, run = st.session_state[KEY].get(name), st.session_state[SHOWN]
    if not isinstance(came, dict) or came.get("serial") != f"{run.wanted!r}":
        return None
    step = came.get("step")
    right = isinstance(step, int) and not isinstance(step, bool) and 0 <= step < len(run.steps)
    return came if right else None


def _charts(run: Run) -> None:
    """Show how likely each token was, and how undecided the model."""
    labels = [one.label for one in run.steps]
    for column, name in zip(st.columns(2, gap="large"), ("probability", "entropy"), strict=True):
        values = [getattr(one, name) for one in run.steps]
        said = controls.say(f"title_{name}", {"x": "token", "y": name})
        with column:
            chart = core.figures.token_bars(labels, {words.t(f"generate.{name}"): values}, said)
            numbers = {words.t("generate.token"): labels, words.t(f"generate.{name}"): values}
            drawn.figure(chart, f"generate.{name}", name, numbers)


def _sheet(run: Run, named: tuple[str, ...]) -> dict[str, Any]:
    """Return every step with its ten next best as columns."""
    steps, waiting = run.steps, iter(named)
    others = [[next(waiting) for _ in one.others] for one in steps]
    columns: dict[str, Any] = {
        words.t("generate.token"): [one.label for one in steps],
        words.t("generate.ident"): [one.ident for one in steps],
    }
    for name in ("probability", "rank", "entropy", "chance"):
        columns[words.t(f"generate.{name}")] = [getattr(one, name) for one in steps]
    for place in range(max(map(len, others), default=0)):
        columns[words.t("generate.other", place=place + 1)] = [row[place] if place < len(row) else "" for row in others]
        shares = [list(one.other_probabilities) for one in steps]
        given = [row[place] if place < len(row) else float("nan") for row in shares]
        columns[words.t("generate.other_share", place=place + 1)] = given
    return columns
