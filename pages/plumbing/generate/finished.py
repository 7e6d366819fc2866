"""What was written: every step, back and forth, with what else could have stood there."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, drawn, words
from pages.plumbing.generate import component, controls, maps
from pages.plumbing.generate.run import Run

KEY = "written"
FORCED, SHOWN = "generate.was_forced", "generate.shown"
SPOKEN = (
    *("before", "after", "step", "says", "back", "on", "next", "rank", "entropy", "chip"),
    *("written", "forced", "force", "force_label", "was_forced", "drawn", "likeliest"),
)
VALUES = {
    "says": ("step", "steps"),
    "next": ("pieces",),
    "rank": ("rank", "pieces"),
    "entropy": ("bits", "most"),
    "chip": ("step", "token", "probability"),
    "force_label": ("token",),
    "drawn": ("chance",),
}


@st.fragment
def show(ref: core.TraceRef, run: Run, most: int) -> None:
    """Show the steps; going from one to another reruns this and nothing else."""
    if st.session_state.pop(FORCED, False):
        st.rerun(scope="app")
    st.session_state[SHOWN] = run
    words.plain(run.text, "first", "text")
    if run.before:
        words.plain(words.t("generate.trunk", text=run.before), "note", "trunk")
    step = min(controls.number("step"), len(run.steps) - 1)
    named = doors.ask(ref, names, idents=tuple(ident for one in run.steps for ident in one.others))
    labels = doors.ask(ref, axes)
    component.written(_data(ref, run, step, named, labels), key=KEY, on_step=_stepped, on_force=_forced)
    drawn.under("generate.steps", "steps", _sheet(run, named))
    st.subheader(words.t("generate.rows"), anchor=False)
    words.plain(words.t("generate.rows_note"), "note", "rows")
    if run.wanted.watch and run.steps[0].rows:
        tokens = {**labels, "decoder": (*labels["decoder"], *(one.label for one in run.steps))}
        maps.show(run, tokens, step)
    else:
        words.plain(words.t("generate.too_wide", most=most), "line", "wide")
    _charts(run)
    choice.publish()


def names(trace: core.Trace, idents: tuple[int, ...]) -> tuple[str, ...]:
    """Ask how tokens are called."""
    found: tuple[str, ...] = trace.model.reader.of_ids(list(idents)).labels if idents else ()
    return found


def spelled(trace: core.Trace, texts: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    """Ask what tokens say, several texts of them."""
    return tuple(trace.model.reader.of_ids(list(text)).text for text in texts)


def axes(trace: core.Trace) -> dict[str, tuple[str, ...]]:
    """Ask for the tokens that writing begins after ("decoder"), and those that it reads ("cross")."""
    sample, begun = trace.sample, max(1, len(trace.model.spec.start))
    if sample.target is None:
        return {"decoder": sample.labels}
    return {"decoder": sample.target.labels[:begun], "cross": sample.labels}


def _data(ref: core.TraceRef, run: Run, step: int, named: tuple[str, ...], labels: Any) -> dict[str, Any]:
    spec = doors.report(ref.request.model).spec
    waiting = iter(named)
    return {
        "serial": f"{run.wanted!r}",
        "prompt": list(labels.get("cross", labels["decoder"])),
        "pieces": spec.written_pieces,
        "steps": [_step(one, run, waiting) for one in run.steps],
        "step": step,
        "words": {name: words.t(f"generate.at_{name}", **_kept(name)) for name in SPOKEN},
    }


def _step(one: core.Step, run: Run, named: Any) -> dict[str, Any]:
    pairs = zip(one.others, one.other_probabilities, strict=True)
    return {
        "ident": one.ident,
        "label": one.label,
        "probability": one.probability,
        "rank": one.rank,
        "entropy": one.entropy,
        "chance": one.chance,
        "forced": one.forced,
        "drawn": not run.wanted.choosing.greedy,
        "others": [{"ident": ident, "label": next(named), "probability": share} for ident, share in pairs],
    }


def _kept(name: str) -> dict[str, str]:
    """Return the values that the browser puts in, as they stand in the message."""
    return {value: f"{{{value}}}" for value in VALUES.get(name, ())}


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
            chart = core.figures.grouped_bars(labels, {words.t(f"generate.{name}"): values}, said)
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
