"""Counted: operations by formula as the text grows, with the sentence of this visit marked on the curve."""

from __future__ import annotations

from functools import partial
from typing import Any

import core
from pages.plumbing import ask, doors, drawn, fields, words
from pages.plumbing.cost.amounts import many, times

figures, analysis = core.figures, core.analysis
say = partial(fields.say, "cost")
LENGTHS = tuple(2**power for power in range(4, 21))
TIMES = (1, 2, 4)


def show(ref: core.TraceRef) -> None:
    """Show how the operations of the chosen model grow, and what doubling the sentence does."""
    found = doors.ask(ref, analysis.counted.growth, lengths=LENGTHS)
    name = ask.called(ref.request.model)
    _curve(found, name)
    _doubling(ref, found.here)


def _curve(found: Any, name: str) -> None:
    series = {key: getattr(found, key) for key in ("looking", "seen", "straight", "around")}
    named = {words.t(f"cost.{key}"): values for key, values in series.items() if any(values)}
    marks = {words.t("cost.here", length=f"{found.here:,}"): found.here}
    if found.overtakes:
        marks[words.t("cost.overtakes", length=f"{found.overtakes:,}")] = found.overtakes
    lines = {key: (found.lengths, values) for key, values in named.items()}
    title = say("title_growth", {"x": "length", "y": "operations"}, name=name)
    chart = figures.scaling(lines, title, marks=marks, faint=(words.t("cost.seen"),))
    drawn.figure(chart, "cost.growth", "counted", {words.t("cost.length"): found.lengths, **named})
    key = "overtaken" if found.overtakes else "never_overtaken"
    words.plain(words.t(f"cost.{key}", name=name, length=f"{found.overtakes or 0:,}"), "line", "overtaken")


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
