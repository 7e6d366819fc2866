"""Watch it write: tokens as they are made, what else could have stood there, and the row that each one added."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.generate import asking, beams, controls, finished, live, run
from pages.plumbing.generate.run import Run

RUN = "generate.run"


def show(model: str) -> None:
    """Show the prompt and how tokens are chosen; then write, and show what was written."""
    prompt = asking.boxes(model)
    with st.container(key="options"):
        way = controls.pick("way")
        wanted = beams.ways(model) if way == "beams" else asking.ways(model)
    try:
        ref, heads = _opened(model, prompt)
    except core.CoreError as refused:
        words.plain(words.error(refused) if prompt else words.t("generate.blank"), "refused", "prompt")
        _before(way)
        return
    asking.ends(ref, wanted)
    if way == "beams":
        beams.show(ref, wanted)
        return
    now = _current(run.watched(wanted, doors.ask(ref, _pieces), heads))
    bar, stage = st.empty(), st.empty()
    if not now.ended:
        _write(ref, now, bar, stage)
        stage.empty()
    _again(now, bar)
    if now.steps:
        finished.show(ref, now, run.most(heads))


def _opened(model: str, prompt: str) -> tuple[core.TraceRef, int]:
    """Read the prompt; return with it to how many maps a step adds a row."""
    with st.spinner(words.t("generate.opening")):
        ref = doors.changed(model, prompt)
        return ref, doors.ask(ref, _maps)


def _before(way: str) -> None:
    """Show what was written before, where anything was."""
    kept: Run | None = st.session_state.get(RUN)
    if way == "beams":
        beams.again()
    elif kept is not None and kept.steps:
        ref, heads = _opened(kept.wanted.model, kept.wanted.text)
        asking.before("write")
        finished.show(ref, kept, run.most(heads))


def _current(wanted: core.engine.Wanted) -> Run:
    """Return the run of what is wanted: the one at hand if it is that or can become it, else a new one."""
    kept: Run | None = st.session_state.get(RUN)
    if kept is not None and kept.wanted == wanted:
        return kept
    now = Run(wanted=wanted)
    if kept is not None and kept.ended == "limit" and _more(kept.wanted, wanted):
        now.steps = [*kept.steps[:-1], replace(kept.steps[-1], ended=None)]
    if kept is not None and wanted.forced and replace(kept.wanted, forced=wanted.forced) == wanted:
        now.before = kept.text
    st.session_state[RUN] = now
    return now


def _more(one: core.engine.Wanted, other: core.engine.Wanted) -> bool:
    return other.limit > one.limit and replace(one, limit=other.limit) == other


def _write(ref: core.TraceRef, now: Run, bar: Any, stage: Any) -> None:
    """Write, and show each token as soon as it is there; a click on the button ends the work."""
    bar.button(words.t("generate.stop_now"), key="generate.halt", type="primary", on_click=_halt, args=(now,))
    with stage.container(key="stage"):
        said, line = st.empty(), st.empty()
        picture = live.begin(ref, now)
    with closing(now.go_on(doors.engine(), asking.session())) as coming:
        for one in coming:
            if isinstance(one, core.Step):
                picture.tell()
                said.text(now.text)
                line.text(words.t("generate.now", step=len(now.steps), limit=now.wanted.limit, bits=_bits(one)))
            else:
                line.text(words.t("generate.queue", ahead=one.ahead))


def _bits(step: core.Step) -> str:
    return f"{step.entropy:.2f}"


def _halt(now: Run) -> None:
    now.ended = run.STOPPED
    doors.engine().stop(asking.session())
    choice.touch()


def _again(now: Run, bar: Any) -> None:
    """Show what can be done once nothing is being written."""
    with bar.container(key="again", horizontal=True, gap="small", vertical_alignment="center"):
        words.plain(words.t(f"generate.ended_{now.ended}", **_values(now)), "line", "ended")
        if now.ended == run.STOPPED:
            st.button(words.t("generate.go_on"), key="generate.go_on", on_click=_go_on, args=(now,))
        elif now.ended == "limit" and len(now.steps) < asking.most():
            st.button(words.t("generate.more"), key="generate.more", on_click=_longer)
        if not now.wanted.choosing.greedy:
            st.button(words.t("generate.another"), key="generate.another", on_click=_another)
        if now.wanted.forced:
            st.button(words.t("generate.unforce"), key="generate.unforce", on_click=_unforce)
    if not choice.in_link("generate.forced"):
        words.plain(words.t("generate.long_forced"), "note", "link-forced")


def _values(now: Run) -> dict[str, object]:
    last = now.steps[-1].label if now.steps else ""
    return {"count": len(now.steps), "token": words.quoted(last), "most": len(now.steps)}


def _go_on(now: Run) -> None:
    now.ended = ""
    choice.touch()


def _longer() -> None:
    controls.put("limit", min(asking.most(), controls.number("limit") + 16))


def _another() -> None:
    controls.put("seed", controls.number("seed") + 1)


def _unforce() -> None:
    controls.put("forced", "")


def _maps(trace: core.Trace) -> int:
    """Return how many maps a step adds a row to."""
    sides = [side for side in trace.sides if side != "encoder"]
    return sum(sum(layer.shape[0] for layer in trace.looking(side).values()) for side in sides)


def _pieces(trace: core.Trace) -> int:
    return len(trace.sample)
