"""How they get around it: ideas as a map whose boxes open the running thing, where each came from, and a table that is
counted and measured."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import streamlit as st

import core
from pages.plumbing import drawn, fields, sheets, words
from pages.plumbing.mixers import controls

figures, runs, spending, forgetting = core.figures, core.runs, core.analysis.spending, core.analysis.forgetting
BEFORE, AFTER = ("recurrent", "convolution"), ("sparse", "linear", "state", "hybrid")


def show() -> None:
    """Show the map of ideas, and then the table."""
    _boxes("before", BEFORE)
    words.plain(words.t("mixers.arrow_before"), "arrow", "before")
    with st.container(key="middle"):
        _box("softmax")
    words.plain(words.t("mixers.arrow_after"), "arrow", "after")
    _boxes("after", AFTER)
    _descent()
    words.plain(words.t("mixers.table"), "title", "table")
    st.markdown(words.t("mixers.table_lead"))
    with st.spinner(words.t("mixers.working")):
        _table()


def _boxes(row: str, ideas: tuple[str, ...]) -> None:
    with st.container(key=f"ideas-{row}"):
        for idea, column in zip(ideas, st.columns(len(ideas), gap="small"), strict=True):
            with column:
                _box(idea)


def _box(idea: str) -> None:
    with st.container(key=f"idea-{idea}", border=True):
        words.plain(words.t(f"mixers.idea_{idea}"), "title", f"box-{idea}")
        words.plain(words.t(f"mixers.thought_{idea}"), "line", f"box-{idea}")
        with st.container(key=f"doors-{idea}", horizontal=True, gap="small"):
            for name in [name for name, its in spending.NAMES if its == idea] or [idea]:
                if st.button(controls.called(name), key=f"mixers.open.{name}", type="tertiary"):
                    _open(name)


def _open(name: str) -> None:
    """Go to where this mixer runs: its map, or, for models of several, the experiment."""
    if name in dict(spending.NAMES):
        controls.put("big", name)
    controls.put("show", "maps" if name in dict(spending.NAMES) else "recall")
    st.rerun()


def _table() -> None:
    found = [spending.spent(name) for name, _ in spending.NAMES]
    columns = {words.t("mixers.mixer"): [controls.called(one.name) for one in found]}
    columns[words.t("mixers.per_sequence")] = [words.t(f"mixers.{_growth(one.squared)}") for one in found]
    columns[words.t("mixers.per_token")] = [words.t(f"mixers.{_next(one.squared)}") for one in found]
    for place, length in ((0, spending.LENGTHS[0]), (1, spending.LENGTHS[-1])):
        columns[words.t("mixers.each", length=f"{length:,}")] = [f"{one.work[place] // length:,}" for one in found]
    for place, length in enumerate(spending.KEPT):
        kept = [words.t("mixers.cannot_write") if one.kept is None else f"{one.kept[place]:,}" for one in found]
        columns[words.t("mixers.kept", length=f"{length:,}")] = kept
    columns[words.t("mixers.parallel")] = [controls.of("parallel", one.name, one.idea) for one in found]
    recalled = _recalled()
    columns[words.t("mixers.lost")] = [_lost(one, recalled.get(one.name)) for one in found]
    columns[words.t("mixers.family")] = [words.t(f"mixers.idea_{one.idea}") for one in found]
    columns[words.t("mixers.paper")] = [words.t(f"mixers.paper_{one.name}") for one in found]
    drawn.table(columns, "mixers.table", "table")


def _descent() -> None:
    """Show which idea came from which."""
    ideas = {
        controls.called(name): (spending.TREE[name][0], words.t(f"mixers.idea_{idea}"), words.t(f"mixers.paper_{name}"))
        for name, idea in (*spending.NAMES, ("hybrid", "hybrid"))
    }
    links = [(controls.called(one), controls.called(name)) for name, its in spending.TREE.items() for one in its[1]]
    chart = figures.descent(ideas, links, fields.say("mixers", "title_descent", {"x": "year"}))
    years, families, papers = zip(*ideas.values(), strict=True)
    told = {"mixer": list(ideas), "year": years, "family": families, "paper": papers}
    columns: dict[str, Any] = {words.t(f"mixers.{key}"): list(values) for key, values in told.items()}
    columns[words.t("mixers.after")] = [
        words.t("mixers.comma").join(map(controls.called, after)) for _, after in spending.TREE.values()
    ]
    st.plotly_chart(chart, key="chart.mixers.descent", config={"displaylogo": False})
    drawn.under("mixers.descent", "descent", columns)


def _recalled() -> dict[str, tuple[int, float]]:
    """Return with the most pairs that were told at the taught length what share each mixer gives back, the mean over
    the seeds; hybrids, which are two, are left out."""
    each: dict[str, list[Any]] = {}
    for run in runs.recall():
        if len(set(run.mixers[1:])) == 1:
            taught = (one for one in run.recall if one.length == run.state[0][0])
            each.setdefault(run.mixers[-1], []).append(max(taught, key=lambda one: one.pairs))
    return {name: (some[0].pairs, fmean(one.right for one in some)) for name, some in each.items()}


def _lost(one: Any, recalled: tuple[int, float] | None) -> str:
    """Say what a mixer loses, by what was measured of it: words that one layer does not hear, what is left of the
    gradient from far back where all must fit into one state, and what was recalled."""
    sizes = forgetting.reach(one.name).sizes
    heard, most = sum(size > 0 for size in sizes), len(sizes)
    if heard < most:
        said = words.t("mixers.lost_unheard", heard=heard, most=most)
    elif one.kept is not None and one.kept[0] == one.kept[1]:
        said = words.t("mixers.lost_state", bytes=f"{one.kept[0]:,}", far=most - 1, left=sheets.measured(sizes[-1]))
    else:
        said = words.t("mixers.lost_nothing", most=most)
    if recalled is None:
        return said
    return said + words.t("mixers.lost_recall", pairs=recalled[0], share=f"{recalled[1]:.0%}")


def _growth(squared: bool) -> str:
    return "squared" if squared else "straight"


def _next(squared: bool) -> str:
    return "straight" if squared else "constant"
