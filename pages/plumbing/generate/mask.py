"""The mask: who may look at whom, what that does to the scores, and what nobody can have read yet."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, words
from pages.plumbing.generate import asking, controls
from pages.plumbing.sheets import grid, measured, numbered

causal, figures = core.analysis.causal, core.figures
SHOWN, SEEN = 12, 0.65
LOOKED = "it"
ROUNDING = 1e-5
NAMES = ("query", "key", "share")


def show(model: str) -> None:
    """Show one head before and after its mask, two sentences that begin alike, and what training sees at once."""
    with st.container(key="ask"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            first = controls.box("first", longest=300)
        with right:
            asking.pick(model)
    ref = asking.last("mask", (model, first), _opened)
    _who()
    if ref is not None:
        _beginnings(ref, _scores(ref))
        _at_once(ref)


def _opened(given: tuple[str, str]) -> core.TraceRef:
    with st.spinner(words.t("generate.opening")):
        return doors.changed(*given)


def _who() -> None:
    """Draw the triangle, and its variants."""
    with st.container(key="options", horizontal=True, gap="medium"):
        rule = controls.pick("rule")
        if rule in ("window", "prefix"):
            controls.count("reach")
    words.plain(words.t(f"generate.rule_{rule}_note"), "line", "rule")
    reach = controls.number("reach")
    cells = causal.variants(SHOWN, window=reach, prefix=reach)[rule]
    labels = [str(place) for place in range(SHOWN)]
    said = controls.say("title_rule", {"query": "query", "key": "key", "share": "may"})
    shown = np.where(cells, SEEN, np.nan).astype(np.float32)
    chart = figures.token_map(shown, labels, labels, said, small=True)
    drawn.figure(chart, "generate.rule", f"rule_{rule}", grid(words.t("generate.query"), labels, labels, cells * 1))


def _scores(ref: core.TraceRef) -> core.Choice:
    """Show one head's scores and shares, with the mask and without; return which head it is."""
    st.subheader(words.t("generate.scores_title"), anchor=False)
    chosen = _head(ref)
    found = doors.ask(ref, causal.masked, layer=chosen.layer, head=chosen.heads[0], side=chosen.side)
    ahead = float(found.ahead.mean())
    kind = words.t(f"generate.kind_{found.kind}", window=found.window)
    told = {"layer": chosen.layer, "head": chosen.heads[0], "kind": kind, "ahead": f"{100 * ahead:.0f}"}
    words.plain(words.t("generate.scores_told", **told), "line", "scores")
    top = float(np.abs(found.scores).max())
    for row in (("scores", "kept"), ("unmasked", "pattern")):
        for column, name in zip(st.columns(2, gap="large"), row, strict=True):
            with column:
                _map(name, getattr(found, name), found, top)
    return chosen


def _map(name: str, cells: Any, found: Any, top: float) -> None:
    rows, columns = list(found.rows), list(found.columns)
    if name in ("scores", "kept"):
        axes = {"query": "query", "key": "key", "share": "score_axis"}
        chart = figures.score_map(cells, rows, columns, controls.say(f"title_{name}", axes), top=top)
    else:
        seen = np.where(found.allowed, cells, np.nan) if name == "pattern" else cells
        axes = {axis: axis for axis in NAMES}
        chart = figures.token_map(seen.astype(np.float32), rows, columns, controls.say(f"title_{name}", axes))
    numbers = grid(words.t("generate.query"), numbered(rows), numbered(columns), cells)
    drawn.figure(chart, f"generate.{name}", "scores" if name in ("scores", "kept") else "softmax", numbers)


def _head(ref: core.TraceRef) -> core.Choice:
    """Show which head it is, and return it."""
    heads = doors.ask(ref, _heads)
    side = next((one for one in ("decoder", *ref.sides) if one in heads), ref.sides[0])
    word = controls.now("head").split(".")
    side = word[0] if word[0] in heads else side
    layers = heads[side]
    layer = int(word[1]) if len(word) > 1 else max(layers) // 2
    layer = min(layers, key=lambda number: abs(number - layer))
    head = int(word[2].split(",")[0]) if len(word) > 2 and word[2] != "mean" else 0
    head = min(head, layers[layer] - 1)
    with st.container(key="head", horizontal=True, gap="medium"):
        if len(heads) > 1:
            controls.select("of_side", list(heads), side, _pointed, wide=170, named=_side)
        controls.select("of_layer", list(layers), layer, _pointed)
        controls.select("of_head", range(layers[layer]), head, _pointed)
    return core.Choice(side=side, layer=layer, heads=(head,))


def _side(side: str) -> str:
    return words.t(f"frame.{side}")


def _pointed() -> None:
    field = st.session_state
    side = field.get("field.generate.of_side") or controls.now("head").split(".")[0] or "decoder"
    controls.put("head", f"{side}.{controls.chosen('of_layer')}.{controls.chosen('of_head')}")


def _heads(trace: core.Trace) -> dict[str, dict[int, int]]:
    """Return how many heads each layer of each side has, for those that have any."""
    return {side: {number: one.shape[0] for number, one in trace.looking(side).items()} for side in trace.sides}


def _beginnings(ref: core.TraceRef, chosen: core.Choice) -> None:
    """Compare two sentences over the tokens that both begin with."""
    st.subheader(words.t("generate.beginnings_title"), anchor=False)
    words.plain(words.t("generate.beginnings_lead"), "line", "beginnings")
    read = asking.last("beginnings", controls.box("second", longest=300), partial(_parted, ref))
    if read is None:
        return
    second, found = read
    most = float(max(found.shares.max(initial=0), found.states.max(initial=0)))
    told = {"count": len(found.labels), "first": words.quoted(found.first), "second": words.quoted(found.second)}
    key = "alike" if most < 1e-4 else "unlike"
    words.plain(words.t(f"generate.beginnings_{key}", most=measured(most), **told), "first", "beginnings")
    if most:
        _differences(found)
    if chosen.side == ref.sides[0]:
        _one_row(ref, chosen, found, second)


def _parted(ref: core.TraceRef, second: str) -> tuple[str, Any]:
    return second, doors.ask(ref, causal.beginnings, text=second, side=ref.sides[0])


def _differences(found: Any) -> None:
    series = {words.t("generate.of_shares"): found.shares, words.t("generate.of_states"): found.states}
    chart = figures.token_bars(found.labels, series, controls.say("title_beginnings", {"x": "token", "y": "apart"}))
    drawn.figure(chart, "generate.beginnings", "causal", {words.t("generate.token"): found.labels, **series})


def _one_row(ref: core.TraceRef, chosen: core.Choice, found: Any, second: str) -> None:
    """Show one row of the chosen head in both sentences, side by side."""
    labels = list(found.labels)
    place = int(controls.now("common") or (labels.index(LOOKED) if LOOKED in labels else len(labels) - 1))
    place = min(place, len(labels) - 1)
    named = numbered(labels)
    controls.select("common", range(len(labels)), place, _shared, wide=300, named=named.__getitem__)
    given = {"layer": chosen.layer, "head": chosen.heads[0], "side": chosen.side, "place": place}
    rows = doors.ask(ref, both_rows, text=second, **given)
    told = {"token": words.quoted(labels[place]), "layer": given["layer"], "head": given["head"]}
    apart = float(np.abs(rows[0] - rows[1]).max())
    key = "row_alike" if apart < ROUNDING else "row_unlike"
    words.plain(words.t(f"generate.{key}", most=measured(apart), **told), "line", "row-both")
    series = {words.t(f"generate.row_{name}"): row for name, row in zip(("first", "second"), rows, strict=True)}
    axes = {"x": "key", "y": "share"}
    chart = figures.token_bars(labels, series, controls.say("title_row_both", axes, **told))
    drawn.figure(chart, "generate.row_both", "softmax", {words.t("generate.key"): labels, **series})


def _shared() -> None:
    controls.put("common", controls.chosen("common"))


def both_rows(trace: core.Trace, text: str, layer: int, head: int, side: str, place: int) -> Any:
    """Ask what a token looks at in a trace, and in that of another text that begins alike [text, key]: as far as both
    have the same keys."""
    other = core.trace(trace.model, core.read(trace.model, text))
    one, two = trace.sample.ids, other.sample.ids
    shared = min(len(one), len(two))
    same = one[:shared] == two[:shared]
    count = shared if same.all() else int(same.argmin())
    return np.stack([found.pattern(layer, head, side)[place, :count] for found in (trace, other)])


def _at_once(ref: core.TraceRef) -> None:
    """Show what one pass says at every position, which is what training asks."""
    st.subheader(words.t("generate.at_once_title"), anchor=False)
    st.markdown(words.t("generate.at_once_lead"))
    try:
        found = doors.ask(ref, causal.foreseen)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "at-once")
        return
    told = {"count": len(found.labels), "loss": measured(found.loss)}
    words.plain(words.t("generate.at_once_told", **told), "line", "at-once")
    columns = {
        words.t("generate.reads"): numbered(found.labels),
        words.t("generate.comes"): list(found.next_labels),
        words.t("generate.probability"): [float(f"{share:.4g}") for share in found.probability],
        words.t("generate.rank"): [int(rank) + 1 for rank in found.rank],
        words.t("generate.expects"): list(found.best_labels),
        words.t("generate.expects_share"): [float(f"{share:.4g}") for share in found.best],
    }
    drawn.table(columns, "generate.at_once", "at_once")
