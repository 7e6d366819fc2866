"""One sentence, every mixer: what takes from what, as one map for each on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import drawn, fields, sheets, words
from pages.plumbing.mixers import asking, controls

figures, IDEAS = core.figures, dict(core.analysis.spending.NAMES)
ABREAST, WINDOW, WINDOWED = 5, 16, ("window", "summaries", "globals")
USUAL = "it"


def show() -> None:
    """Show the sentence, one map large, and then all of them."""
    text, names = asking.sentence(), asking.taught()
    if not names:
        return
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        same = controls.pick("terms") == "same"
        big = controls.select("big", names)
    with st.spinner(words.t("mixers.working")):
        found = {name: asking.seen(name, text, same=same) for name in names}
    left, right = st.columns([3, 2], gap="large")
    with left:
        _large(big, found[big])
    with right:
        _told(big, found[big])
    words.plain(words.t(f"mixers.scale_{controls.now('terms')}"), "note", "scale")
    for idea, some in groupby(names, IDEAS.__getitem__):
        _family(idea, list(some), found)
    drawn.under("mixers.all", "all", _long(found), " × ".join(map(str, (len(found), *found[big].shares.shape))))


def _large(name: str, seen: asking.Seen) -> None:
    title = fields.say("mixers", "title_map", AXES, name=controls.called(name))
    chart = figures.signed_map(seen.shares, seen.labels, seen.labels, title, height=520, top=1.0)
    drawn.figure(chart, "mixers.map", "map", sheets.grid("", seen.labels, seen.labels, seen.shares))


def _told(name: str, seen: asking.Seen) -> None:
    """Say what a mixer is, how its map was obtained, where it comes from, and what the small model is."""
    model = next(one for one in core.runs.sentences() if one.name == name)
    words.plain(words.t(f"mixers.idea_{IDEAS[name]}"), "who", "idea")
    words.plain(words.t(f"mixers.what_{name}"), "first", "what")
    _row(seen)
    words.plain(words.t(f"mixers.how_{seen.how}"), "line", "how")
    words.plain(words.t(f"mixers.paper_{name}"), "line", "paper")
    if name in WINDOWED and len(seen.labels) <= WINDOW:
        words.plain(words.t("mixers.short_sentence"), "line", "short")
    said = {"parameters": f"{model.parameters:,}", "loss": f"{model.never_taught:.2f}", "date": model.date}
    task = "left_out" if name in AHEAD else "next"
    words.plain(words.t(f"mixers.model_{task}", machine=model.machine, **said), "note", "model")
    st.code(model.command, language=None, wrap_lines=True)


def _row(seen: asking.Seen) -> None:
    """Say from which words one of them takes most."""
    labels = sheets.numbered(seen.labels)
    usual = seen.labels.index(USUAL) if USUAL in seen.labels else max(0, len(labels) - 2)
    place = controls.place("row", labels, usual)
    shares = np.nan_to_num(seen.shares[place])
    most = np.argsort(-np.abs(shares), kind="stable")[:3]
    told = [
        words.t("mixers.from", word=words.quoted(seen.labels[one]), share=_signed(shares[one]))
        for one in most
        if shares[one]
    ]
    said = words.t("mixers.comma").join(told)
    words.plain(words.t("mixers.row_says", word=words.quoted(seen.labels[place]), told=said), "line", "row")


def _signed(share: float) -> str:
    return f"{share:.2f}".replace("-", "−")


def _family(idea: str, names: Sequence[str], found: dict[str, asking.Seen]) -> None:
    words.plain(words.t(f"mixers.idea_{idea}"), "title", f"idea-{idea}")
    with st.container(key=f"maps-{idea}"):
        columns = st.columns(ABREAST, gap="small")
    for column, name in zip(columns, names, strict=False):
        with column:
            st.button(
                controls.called(name),
                key=f"mixers.big.{name}",
                type="primary" if name == controls.now("big") else "tertiary",
                on_click=partial(controls.put, "big", name),
            )
            chart = figures.small_map(
                found[name].shares,
                found[name].labels,
                {"rows": words.t("mixers.taker"), "columns": words.t("mixers.given")},
            )
            st.plotly_chart(chart, key=f"chart.mixers.small.{name}", config={"displayModeBar": False})
            told = words.t(f"mixers.short_{found[name].how}"), words.t(f"mixers.paper_{name}")
            words.plain("\n".join(told), "note", f"how-{name}")


def _long(found: dict[str, asking.Seen]) -> dict[str, list[Any]]:
    """Return every cell of every map as a row of its own."""
    cells = [
        (controls.called(name), row, seen.labels[row], column, seen.labels[column], float(seen.shares[row, column]))
        for name, seen in found.items()
        for row in range(len(seen.labels))
        for column in range(len(seen.labels))
    ]
    heads = ("mixer", "row_place", "taker", "column_place", "given", "share")
    columns = zip(*cells, strict=True)
    return {words.t(f"mixers.{head}"): list(values) for head, values in zip(heads, columns, strict=True)}


AXES = {"rows": "taker", "columns": "given", "value": "share"}
AHEAD = frozenset(IDEAS) - frozenset(core.analysis.forgetting.CAUSAL)
