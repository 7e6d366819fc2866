"""Take the wheel: one row of one head is set by hand, and the model translates again."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import ask, doors, reading, sheets, words
from pages.plumbing.translate import asking, controls, draw, scene
from pages.plumbing.translate.language import Pair
from pages.plumbing.translate.scene import Scene

rows, writing = core.analysis.rows, core.analysis.writing
Where = tuple[int, int, int, int, int]


def show(model: str) -> None:
    """Show which row is moved and how far, and the translation before and after."""
    mode = controls.pick("row", label=False)
    model = {"guided": asking.GUIDED, "it": asking.PLAIN, "word": asking.PLAIN}.get(mode, model)
    if scene.missing(model):
        return
    asking.disclosed(model)
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        pair, which = scene.pair()
        scene.which(pair)
    one, where = scene.scene(model, pair, which), None
    where = _preset(one, mode, pair)
    if mode == "own":
        where = _own(one, where)
    words.plain(words.t(f"translate.row_{mode}_note"), "line", "row")
    _moved(one, where, scene.parting(one.told, scene.scene(model, pair, 1 - which).told))


def _preset(one: Scene, mode: str, pair: Pair) -> Where:
    """Return layer and head, who looks, from where its attention is taken and where it goes."""
    looks = "word" if mode == "word" else "it"
    layer, head = scene.prettiest(one) if mode == "it" else scene.telling(one.model, looks, pair)
    meant, other = one.place("meant"), one.place("other")
    if mode == "it":
        shares = one.shares(layer, head, looks)
        meant, other = sorted((meant, other), key=lambda place: -shares[place])
    return layer, head, one.place(looks), meant, other


def _own(one: Scene, usual: Where) -> Where:
    """Show every choice there is, and return it."""
    layers, heads = doors.ask(one.ref, writing.looks, side=scene.ENCODER).shape[:2]
    known = (layers, heads, len(one.labels), len(one.labels), len(one.labels))
    said = controls.now("own")
    now = tuple(map(int, said.split("."))) if said else usual
    now = now if all(place < count for place, count in zip(now, known, strict=True)) else usual
    named = sheets.numbered(one.labels)
    with st.container(key="own", horizontal=True, gap="small", vertical_alignment="bottom"):
        for name, place, count in zip(NAMES, now, known, strict=True):
            shown = str if name in NAMES[:2] else named.__getitem__
            controls.select(name, range(count), place, _owned, shown)
    layer, head, query, taken, given = now
    return layer, head, query, taken, given


NAMES = ("layer", "head_of", "query", "taken", "given")


def _owned() -> None:
    controls.put("own", ".".join(str(controls.chosen(name)) for name in NAMES))


def _moved(one: Scene, where: Where, step: int | None) -> None:
    layer, head, query, taken, given = where
    before = doors.ask(one.ref, rows.row, layer=layer, head=head, query=query)
    named = {name: words.quoted(one.labels[at]) for name, at in (("query", query), ("one", taken), ("other", given))}
    shares = {"share": reading.share(float(before[taken])), "other_share": reading.share(float(before[given]))}
    words.plain(words.t("translate.row_is", layer=layer, head=head, **named, **shares), "line", "is")
    part = controls.slide("moved", range(0, 101, 5))
    at = {"layer": layer, "head": head, "query": query, "one": taken, "other": given}
    change = doors.ask(one.ref, rows.moved, part=part / 100, **at)
    again = doors.changed(one.model, one.ref.request.text, (change,))
    told = doors.ask(again, writing.writing)
    _answers(one.told, told, named["query"])
    _bars(one, before, np.array(change.shares, dtype=np.float32), layer, head, query)
    _everywhere(one, query, taken, given, step)


def _answers(before: Any, after: Any, query: str) -> None:
    for column, name, told in zip(st.columns(2, gap="large"), ("before", "after"), (before, after), strict=True):
        with column:
            words.plain(words.t(f"translate.{name}"), "who", name)
            words.plain(told.text, "first", f"told-{name}")
    changes = differences(before, after)
    said = words.t("translate.changed", changes=", ".join(changes)) if changes else words.t("translate.unchanged")
    words.plain(said, "title", "verdict")
    if not changes:
        sure = (least(before), least(after))
        words.plain(words.t("translate.unchanged_note", query=query, before=sure[0], after=sure[1]), "note", "verdict")


def differences(before: Any, after: Any) -> list[str]:
    """Return what was written in the place of what."""
    old, new = ([moment.written.label for moment in told.moments] for told in (before, after))
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        words.t("translate.in_place", old=" ".join(old[a:b]) or "–", new=" ".join(new[c:d]) or "–")
        for kind, a, b, c, d in found
        if kind != "equal"
    ]


def least(told: Any) -> str:
    """Return the probability of the word that was least sure."""
    return f"{told.least.written.probability:.2f}"


def _bars(one: Scene, before: np.ndarray, after: np.ndarray, layer: int, head: int, query: int) -> None:
    series = {words.t("translate.before"): before, words.t("translate.after"): after}
    token = words.quoted(one.labels[query])
    said = draw.say("title_moved", {"x": "token", "y": "share"}, layer=layer, head=head, token=token)
    draw.figure(core.figures.grouped_bars(one.labels, series, said), "moved", draw.tokens(one.labels, series))


def _everywhere(one: Scene, query: int, taken: int, given: int, step: int | None) -> None:
    """Show in which heads this row decides: each is moved alone, and the answer before that word is held."""
    if step is None or step >= len(one.told.moments):
        return
    moment = one.told.moments[step]
    place = {"query": query, "one": taken, "other": given, "place": moment.row}
    found = doors.ask(one.ref, rows.deciding, **place)
    st.subheader(words.t("translate.deciding"), anchor=False)
    named = {name: words.quoted(one.labels[at]) for name, at in (("query", query), ("one", taken), ("other", given))}
    written = {"token": words.quoted(moment.written.label), "probability": f"{moment.written.probability:.2f}"}
    words.plain(words.t("translate.deciding_note", **named, **written), "line", "deciding")
    layers = [words.t("translate.layer_row", layer=layer) for layer in range(len(found))]
    heads = [words.t("translate.head_column", head=head) for head in range(found.shape[1])]
    axes = {"query": "layer", "key": "head_of", "share": "probability"}
    chart = core.figures.heatmap(found, layers, heads, draw.say("title_deciding", axes, **written))
    chart.update_traces(texttemplate="%{z:.2f}")
    chart.update_xaxes(tickmode="array", tickvals=list(range(len(heads))), ticktext=heads, tickangle=0)
    chart.update_yaxes(tickmode="array", tickvals=list(range(len(layers))), ticktext=layers)
    left, _ = st.columns([2, 1])
    with left:
        draw.figure(chart, "deciding", draw.grid(layers, heads, found))
    words.plain(words.t("translate.model_of", model=ask.called(one.model)), "note", "deciding-model")
