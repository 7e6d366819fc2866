"""As servers do it: several prompts on one pool of blocks, event by event."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, words
from pages.plumbing.generate import asking, controls, finished, pool

figures = core.figures
SAMPLE = Path(__file__).resolve().parents[3] / "assets" / "samples" / "generate" / "prompts.toml"
LONGEST = 1200
KINDS = ("used", "ahead", "never", "outside", "kept")


def show(model: str) -> None:
    """Show the prompts and the pool; then what it wasted, and every event."""
    prompts = _prompts(model)
    with st.container(key="options"), st.container(key="settings", horizontal=True, gap="medium"):
        controls.slide("block")
        for name in ("blocks", "each", "together"):
            controls.count(name)
    sharing = controls.pick("sharing") == "shared"
    numbers = {name: controls.number(name) for name in ("block", "blocks", "each", "together")}
    if prompts:
        served = asking.last("serve", (model, {"prompts": prompts, "sharing": sharing, **numbers}), _served)
    else:
        words.plain(words.t("generate.no_prompts"), "refused", "prompts")
        served = asking.again("serve", _served)
    if served is not None:
        _shown(*served, sharing)


def _served(given: tuple[str, dict[str, Any]]) -> tuple[core.TraceRef, Any]:
    model, wanted = given
    with st.spinner(words.t("generate.serving")):
        ref = doors.changed(model, wanted["prompts"][0])
        return ref, doors.ask(ref, replayed, **wanted)


def _shown(ref: core.TraceRef, found: Any, sharing: bool) -> None:
    if sharing and not found.sharing:
        words.plain(words.t("generate.cannot_share"), "note", "sharing")
    _told(found)
    _waste(found)
    pool.show(found)
    _requests(ref, found)


def replayed(
    trace: core.Trace, prompts: tuple[str, ...], block: int, blocks: int, each: int, together: int, sharing: bool
) -> Any:
    """Ask for the replay of some prompts on the trace's model."""
    sizes = {"block_size": block, "blocks": blocks, "limit": each, "together": together}
    return core.serving.replay(trace.model, prompts, sharing=sharing, **sizes)


def _prompts(model: str) -> tuple[str, ...]:
    """Show the prompts, one in each line, and the model."""
    with st.container(key="ask"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            text = controls.box("prompts", longest=LONGEST, then=_typed, empty="\n".join(_sample()), height=150)
        with right:
            asking.pick(model)
            words.plain(words.t("generate.prompts_note"), "note", "prompts")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _typed() -> None:
    text = controls.chosen("prompts")
    controls.put("prompts", "" if text == "\n".join(_sample()) else text)
    controls.put("event", 0)


@cache
def _sample() -> tuple[str, ...]:
    return tuple(tomllib.loads(SAMPLE.read_text("utf-8"))["prompts"])


def _told(found: Any) -> None:
    """Say what was computed, and what did not have to be."""
    total = found.computed + found.matched
    values = {
        "requests": len(found.requests),
        "rounds": found.rounds,
        "computed": found.computed,
        "matched": found.matched,
        "share": f"{100 * found.matched / max(1, total):.0f}",
    }
    words.plain(words.t("generate.served", **values), "first", "served")
    evicted = sum(event.kind == "evicted" for event in found.events)
    preempted = sum(event.kind == "preempted" for event in found.events)
    if evicted or preempted:
        words.plain(words.t("generate.pressed", evicted=evicted, preempted=preempted), "line", "pressed")


def _waste(found: Any) -> None:
    """Draw how much of what is reserved holds nothing: in pages, and in one stretch each."""
    st.subheader(words.t("generate.waste_title"), anchor=False)
    words.plain(words.t("generate.waste_lead"), "line", "waste-lead")
    policy = controls.pick("policy")
    pages, whole = core.serving.paged(found), core.serving.contiguous(found, policy=policy)
    values = {"paged": f"{100 * pages.mean_waste:.1f}", "whole": f"{100 * whole.mean_waste:.1f}"}
    words.plain(words.t("generate.waste_told", **values), "first", "waste")
    for column, (name, usage) in zip(st.columns(2, gap="large"), {"paged": pages, "whole": whole}.items(), strict=True):
        with column:
            _usage(name, usage)


def _usage(name: str, usage: Any) -> None:
    rounds = list(range(len(usage.used)))
    there = {kind: getattr(usage, kind) for kind in KINDS if kind == "used" or getattr(usage, kind).any()}
    series = {words.t(f"generate.slots_{kind}"): slots for kind, slots in there.items()}
    said = controls.say(f"title_usage_{name}", {"x": "round", "y": "slots"}, slots=usage.slots)
    chart = figures.layers(rounds, series, said, steps=True)
    whole = {words.t(f"generate.slots_{kind}"): getattr(usage, kind) for kind in (*KINDS, "saved")}
    numbers = {words.t("generate.round"): rounds, **whole, words.t("generate.waste"): np.round(usage.waste, 4)}
    drawn.figure(chart, f"generate.usage_{name}", "waste", numbers)


def _requests(ref: core.TraceRef, found: Any) -> None:
    """Show what became of each request."""
    st.subheader(words.t("generate.requests_title"), anchor=False)
    requests = found.requests
    wrote = doors.ask(ref, finished.spelled, texts=tuple(request.written for request in requests))
    columns: dict[str, Any] = {
        words.t("generate.request"): [request.number + 1 for request in requests],
        words.t("generate.of_length"): [len(request.ids) for request in requests],
        words.t("generate.wrote"): list(wrote),
    }
    for name in ("matched", "computed", "arrived", "began", "ended", "preemptions"):
        columns[words.t(f"generate.of_{name}")] = [getattr(request, name) for request in requests]
    drawn.table(columns, "generate.requests", "paged")
