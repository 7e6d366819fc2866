"""Counted: operations by formula as the text grows, with the sentence of this visit marked on the curve."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, doors, drawn, fields, words
from pages.plumbing.cost import formula
from pages.plumbing.cost.amounts import many, size, times
from pages.plumbing.sheets import measured

figures, analysis = core.figures, core.analysis
say = partial(fields.say, "cost")
LENGTHS = tuple(2**power for power in range(4, 21))
TIMES = (1, 2, 4)
GROWN = tuple(2**power for power in range(3, 17))
NAMES = tuple(name for name, _ in analysis.spending.NAMES)


def show(ref: core.TraceRef) -> None:
    """Show how the operations of the chosen model grow, and what doubling the sentence does."""
    found = doors.ask(ref, analysis.counted.growth, lengths=LENGTHS)
    name = ask.called(ref.request.model)
    _curve(found, name, both=len(ref.sides) > 1)
    _doubling(ref, found.here)
    _portions(ref, found.here)
    _mixers(found.here)
    formula.show("counted")


def _curve(found: Any, name: str, *, both: bool) -> None:
    """Draw all that grows; of a model with two sides the answer is as long as the text."""
    series = {key: getattr(found, key) for key in ("looking", "seen", "straight", "around")}
    if series["seen"] == series["looking"]:
        del series["seen"]
    named = {words.t(f"cost.{key}"): values for key, values in series.items() if any(values)}
    marks = {words.t("cost.here", length=f"{found.here:,}"): found.here}
    if found.overtakes:
        marks[words.t("cost.overtakes", length=f"{found.overtakes:,}")] = found.overtakes
    lines = {key: (found.lengths, values) for key, values in named.items()}
    title = say("title_growth", {"x": "axis_length", "y": "operations"}, name=name)
    chart = figures.scaling(lines, title, marks=marks, faint=(words.t("cost.seen"),))
    drawn.figure(chart, "cost.growth", "counted", {words.t("cost.axis_length"): found.lengths, **named})
    key = "overtaken" if found.overtakes else "never_overtaken"
    words.plain(words.t(f"cost.{key}", name=name, length=f"{found.overtakes or 0:,}"), "line", "overtaken")
    if both:
        words.plain(words.t("cost.both_sides"), "note", "both-sides")


def _doubling(ref: core.TraceRef, here: int) -> None:
    """Show what becomes of every part when the sentence doubles, and doubles again."""
    found = doors.ask(ref, analysis.counted.growth, lengths=tuple(here * more for more in TIMES))
    rows = {key: getattr(found, key) for key in ("cells", "looking", "straight")}
    rows["layers"] = tuple(one + other for one, other in zip(found.looking, found.straight, strict=True))
    words.plain(words.t("cost.doubling", length=f"{here:,}"), "title", "doubling")
    columns = {words.t("cost.what"): [words.t(f"cost.{key}") for key in rows]}
    for place, length in enumerate(found.lengths):
        told = [f"{many(values[place])}  ({times(values[place] / max(values[0], 1))})" for values in rows.values()]
        columns[words.t("cost.tokens", length=f"{length:,}")] = told
    whole = {words.t("cost.what"): columns[words.t("cost.what")]}
    whole |= {str(length): [values[n] for values in rows.values()] for n, length in enumerate(found.lengths)}
    drawn.table(columns, "cost.doubling", "counted", whole)


def _portions(ref: core.TraceRef, here: int) -> None:
    """Show what every kind of part of the chosen model takes for the sentence of this visit, all operations of it."""
    found = doors.ask(ref, analysis.counted.portions)
    words.plain(words.t("cost.portions", name=ask.called(ref.request.model), length=f"{here:,}"), "title", "portions")
    st.markdown(words.t("cost.portions_lead"))
    raw: dict[str, list[Any]] = {
        "products": [one.work.products for one in found],
        "others": [one.work.each for one in found],
        "least": [one.needed for one in found],
        "parameters": [one.weights for one in found],
    }
    what = {words.t("cost.what"): [words.t(f"cost.part_{one.kind}") for one in found]}
    columns = what | {words.t(f"cost.{key}"): [f"{value:,}" for value in raw[key]] for key in list(raw)[:3]}
    columns[words.t("cost.parameters")] = [size(value) for value in raw["parameters"]]
    whole = what | {words.t(f"cost.{key}"): values for key, values in raw.items()}
    drawn.table(columns, "cost.portions", "portions", whole)


def _mixers(here: int) -> None:
    """Show what every mixer takes by its formula: some as curves, and then all of them at one length."""
    words.plain(words.t("cost.mixers"), "title", "mixers")
    st.markdown(words.t("cost.mixers_lead"))
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        for name in ("form", "width", "rows"):
            fields.pick(f"cost.{name}")
    width, rows = fields.number("cost.width"), fields.number("cost.rows")
    chosen = fields.some("cost.drawn", NAMES, _called)
    if chosen:
        _mixer_curves(chosen, width, here)
    _mixer_table(width, rows)


def _mixer_curves(chosen: tuple[str, ...], width: int, here: int) -> None:
    form = fields.now("cost.form")
    lines = {_called(name): (GROWN, [_operations(name, width, rows, form) for rows in GROWN]) for name in chosen}
    marks = {words.t("cost.here", length=f"{here:,}"): here} if here >= GROWN[0] else {}
    title = say(f"title_mixers_{form}", {"x": "axis_length", "y": "operations"}, width=width)
    chart = figures.scaling(lines, title, marks=marks)
    numbers = {words.t("cost.axis_length"): GROWN} | {name: line[1] for name, line in lines.items()}
    drawn.figure(chart, "cost.mixers", "mixers", numbers)


def _operations(name: str, width: int, rows: int, form: str) -> int:
    found = analysis.mixers_cost.taken(name, width, rows)
    return found.least if form == "least" else found.work.total


def _mixer_table(width: int, rows: int) -> None:
    found = [analysis.mixers_cost.taken(name, width, rows) for name in NAMES]
    columns: dict[str, list[Any]] = {
        words.t("cost.mixer"): [_called(one.name) for one in found],
        words.t("cost.products"): [f"{one.work.products:,}" for one in found],
        words.t("cost.others"): [f"{one.work.each:,}" for one in found],
        words.t("cost.least"): [f"{one.least:,}" for one in found],
        words.t("cost.hidden"): [f"{one.hidden / one.work.total:.0%}" for one in found],
        words.t("cost.parameters"): [size(one.weights) for one in found],
        words.t("cost.pattern"): [size(one.pattern) if one.pattern else "—" for one in found],
        words.t("cost.keeps"): ["—" if one.kept is None else size(one.kept) for one in found],
        words.t("cost.per_byte"): [measured(one.intensity) for one in found],
        words.t("cost.per_byte_spelled"): [measured(one.spelled) for one in found],
    }
    raw = {
        "products": [one.work.products for one in found],
        "others": [one.work.each for one in found],
        "least": [one.least for one in found],
        "hidden": [one.hidden / one.work.total for one in found],
        "parameters": [one.weights for one in found],
        "pattern": [one.pattern for one in found],
        "keeps": ["" if one.kept is None else one.kept for one in found],
        "per_byte": [one.intensity for one in found],
        "per_byte_spelled": [one.spelled for one in found],
    }
    whole = columns | {words.t(f"cost.{name}"): values for name, values in raw.items()}
    drawn.table(columns, "cost.mixer_table", "mixers", whole, rows=len(NAMES))


def _called(name: str) -> str:
    return words.t(f"mixers.name_{name}")
