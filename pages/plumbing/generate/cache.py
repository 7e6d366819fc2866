"""The cache: what is kept so that a step reads one token and not the whole text, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, words
from pages.plumbing.generate import asking, controls, finished, kept
from pages.plumbing.sheets import amount, measured

figures = core.figures
LONGEST, POINTS, GROUPED = 8192, 48, 1.05
COMPARED = "generate.compared"
COUNTS = ("keys", "window", "source", "state")


def show(model: str) -> None:
    """Show what every layer keeps of a text of any length, what grouping saves, and both ways of writing."""
    prompt = asking.boxes(model)
    read = asking.last("cache", (model, prompt), _opened)
    if read is None:
        return
    (model, prompt), ref = read
    bound = doors.report(model).spec.positions or LONGEST
    with st.container(key="options"):
        length = controls.along("length", min(bound, LONGEST), 1)
    lengths = tuple(sorted({*(round(place) for place in np.linspace(1, min(bound, LONGEST), POINTS)), length}))
    told = doors.ask(ref, core.analysis.filling, lengths=lengths)
    _formula(ref, told)
    kept.bars(ref, told, lengths, length)
    kept.numbers(ref, told)
    _read(told, lengths, length)
    _groups(told, lengths, length)
    _both(ref, prompt)


def _opened(given: tuple[str, str]) -> tuple[tuple[str, str], core.TraceRef]:
    with st.spinner(words.t("generate.opening")):
        return given, doors.changed(*given)


def _formula(ref: core.TraceRef, told: Any) -> None:
    """Say what one token costs, by formula and counted in the tensors of this very text."""
    spec, kinds = doors.report(ref.request.model).spec, {kind: told.kinds.count(kind) for kind in COUNTS}
    there = {kind: count for kind, count in kinds.items() if count}
    listed = [words.t(f"generate.count_{kind}", count=count) for kind, count in there.items()]
    words.plain(words.t("generate.keeps", kinds=words.t("generate.comma").join(listed)), "line", "keeps")
    keys = [number for number, kind in enumerate(told.kinds) if kind in ("keys", "window")]
    if keys and len({(told.groups[number], told.per_token[number]) for number in keys}) == 1:
        one, groups = told.per_token[keys[0]], told.groups[keys[0]]
        size = doors.ask(ref, _size)
        width = one // (2 * groups * size)
        values = {"layers": len(keys), "groups": groups, "width": width, "size": size}
        if one == 2 * groups * width * size:
            st.latex(words.t("generate.formula", **values, total=f"{told.one_more:,}".replace(",", r"\,")))
    per = words.t("generate.per_token", bytes=f"{told.one_more:,}", heads=spec.heads.count)
    words.plain(per, "first", "per-token")
    if set(there) <= {"keys", "source"}:
        length, real = doors.ask(ref, counted)
        by_formula = int(doors.ask(ref, core.analysis.filling, lengths=(length,)).total[0])
        values = {"length": length, "real": f"{real:,}", "formula": f"{by_formula:,}"}
        words.plain(words.t("generate.counted", **values), "note", "counted")


def counted(trace: core.Trace) -> tuple[int, int]:
    """Ask how long the text is that a decoder read, and how many bytes its keys and values take as they lie there."""
    sides = [side for side in trace.sides if side != "encoder"]
    kept = [part for side in sides for one in trace.looking(side).values() for part in (one.keys, one.values)]
    return len(trace.sample.target or trace.sample), sum(part.numel() * part.element_size() for part in kept)


def _size(trace: core.Trace) -> int:
    """Return how many bytes a number of the cache takes."""
    side = "decoder" if "decoder" in trace.sides else trace.sides[0]
    size: int = next(iter(trace.looking(side).values())).keys.element_size()
    return size


def _read(told: Any, lengths: tuple[int, ...], length: int) -> None:
    """Draw the bytes that every step reads: all of the cache, and all of the weights."""
    at = lengths.index(length)
    share = float(told.total[at]) / told.weight_bytes
    values = {
        "cache": amount(int(told.total[at])),
        "weights": amount(told.weight_bytes),
        "share": f"{100 * share:.1f}",
    }
    words.plain(words.t("generate.read_told", length=f"{length:,}", **values), "line", "read")
    series = {
        words.t("generate.weights"): [float(told.weight_bytes)] * len(lengths),
        words.t("generate.cache"): told.total.astype(float),
    }
    said = controls.say("title_read", {"x": "length", "y": "bytes_read"})
    chart = figures.layers(lengths, series, said)
    drawn.figure(chart, "generate.read", "read", {words.t("generate.length"): list(lengths), **_whole(series)})


def _groups(told: Any, lengths: tuple[int, ...], length: int) -> None:
    """Draw what sharing keys among heads saves: a key for every head, as it is, one for all."""
    at = lengths.index(length)
    named = {"every_head": told.every_head, "as_it_is": told.total, "one_head": told.one_head}
    names = [words.t(f"generate.{name}") for name in named]
    amounts = [float(row[at]) for row in named.values()]
    saved = amounts[0] / max(amounts[1], 1.0)
    told = "groups_none" if saved < GROUPED else "groups_told"
    words.plain(words.t(f"generate.{told}", saved=f"{saved:.2g}"), "line", "groups")
    said = controls.say("title_groups", {"x": "bytes"}, length=f"{length:,}")
    chart = figures.rods(names, {words.t("generate.cache"): amounts}, said)
    drawn.figure(chart, "generate.groups", "groups", {"": names, words.t("generate.bytes"): amounts})


def _both(ref: core.TraceRef, prompt: str) -> None:
    """Write the same text with the cache and without, when somebody asks for it."""
    st.subheader(words.t("generate.both_title"), anchor=False)
    words.plain(words.t("generate.both_lead"), "line", "both")
    with st.container(key="both", horizontal=True, gap="medium", vertical_alignment="bottom"):
        limit = controls.count("both")
        st.button(words.t("generate.compare"), key="generate.compare")
    asked = (ref.key, prompt, limit)
    if st.session_state.get("generate.compare"):
        st.session_state[COMPARED] = asked
    if st.session_state.get(COMPARED) != asked:
        return
    with st.spinner(words.t("generate.comparing")):
        found = doors.ask(ref, compared, limit=limit)
    same = words.t("generate.identical" if found.identical else "generate.differ", apart=measured(found.apart))
    words.plain(same, "first", "same")
    _told_both(found)
    text = doors.ask(ref, finished.spelled, texts=(found.cached.written,))[0]
    words.plain(words.t("generate.both_text", text=text), "note", "both-text")
    _steps(found)


def compared(trace: core.Trace, limit: int) -> Any:
    """Ask for the same text written twice."""
    return core.serving.compare(trace.model, trace.sample, limit=limit)


def _told_both(found: Any) -> None:
    ways = (found.cached, found.whole)
    last = [float(way.seconds[-1]) * 1000 for way in ways]
    more = [float(way.operations[-1]) for way in ways]
    values = {
        "length": int(found.lengths[-1]),
        "cached": f"{last[0]:.0f}",
        "whole": f"{last[1]:.0f}",
        "times": f"{more[1] / more[0]:.0f}",
    }
    words.plain(words.t("generate.both_told", **values), "line", "both-told")


def _steps(found: Any) -> None:
    """Draw operations and time of each step, with and without."""
    x, numbers = list(range(len(found.lengths))), {words.t("generate.step"): list(range(len(found.lengths)))}
    ways = {words.t("generate.with_cache"): found.cached, words.t("generate.without_cache"): found.whole}
    for column, name in zip(st.columns(2, gap="large"), ("operations", "seconds"), strict=True):
        scale = 1.0 if name == "operations" else 1000.0
        series = {way: getattr(one, name) * scale for way, one in ways.items()}
        with column:
            said = controls.say(f"title_{name}", {"x": "step", "y": name})
            chart = figures.layers(x, series, said, piled=False)
            drawn.figure(chart, f"generate.{name}", name, {**numbers, **_whole(series)})


def _whole(series: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return series as lists, which keep every digit of a number of bytes or operations."""
    return {name: [*map(float, values)] for name, values in series.items()}
