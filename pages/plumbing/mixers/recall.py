"""Recall against state: what was measured of eight mixers, and pairs of one's own that they have to remember."""

from __future__ import annotations

import re
from collections.abc import Iterable
from statistics import fmean
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import drawn, fields, sheets, words
from pages.plumbing.mixers import controls

figures, runs = core.figures, core.runs
CONTESTANTS = ("full", "hybrid", "window", "linear", "gated_delta", "mamba2", "lstm", "dilated")
LENGTHS, VALUES, LAYERS, LEARNT = (64, 128, 256), 64, (1, 2), 0.1


def show() -> None:
    """Show the measured curves beside what is kept, and then let the models answer."""
    found = {name: [one for one in runs.recall() if one.name == name] for name in CONTESTANTS}
    found = {name: some for name, some in found.items() if some}
    if not found:
        words.plain(words.t("mixers.none_recalled"), "line", "missing")
    else:
        _measured(found)
    words.plain(words.t("mixers.left_out"), "note", "left-out")
    if found:
        words.plain(words.t("mixers.own_pairs"), "title", "own")
        st.markdown(words.t("mixers.own_pairs_lead"))
        _own(tuple(found))


def _measured(found: dict[str, list[Any]]) -> None:
    absent = [controls.called(name) for name in CONTESTANTS if name not in found]
    if absent:
        words.plain(words.t("mixers.some_recalled", names=words.t("mixers.comma").join(absent)), "note", "missing")
    with st.container(key="options", horizontal=True):
        length = int(controls.pick("length"))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _curves(found, length)
    with right:
        _state(found, length)
    _table(found)


def _curves(found: dict[str, list[Any]], length: int) -> None:
    pairs = sorted({one.pairs for some in found.values() for run in some for one in run.recall if one.length == length})
    series = {controls.called(name): _spread(some, length, pairs) for name, some in found.items()}
    title = fields.say("mixers", "title_recall", {"x": "pairs_told", "y": "right"}, length=length)
    columns: dict[str, Any] = {words.t("mixers.pairs_told"): pairs}
    for name, values in series.items():
        kinds = ("mean", "lowest", "highest")
        columns |= {f"{name}, {words.t(f'mixers.{kind}')}": one for kind, one in zip(kinds, values, strict=True)}
    drawn.figure(figures.spreads(pairs, series, title), "mixers.recall", "recall", columns)
    ends = {name: values[0][-1] for name, values in series.items()}
    told = [
        words.t("mixers.from", word=name, share=f"{ends[name]:.0%}")
        for name in sorted(ends, key=lambda name: -ends[name])
    ]
    said = words.t("mixers.comma").join(told)
    words.plain(words.t("mixers.said_recall", pairs=pairs[-1], told=said, chance=f"{1 / VALUES:.1%}"), "line", "recall")
    _unlearnt(found, series, pairs)


def _unlearnt(found: dict[str, list[Any]], series: dict[str, Any], pairs: list[int]) -> None:
    """Name those that fail already where least is told: they have not learnt the task, whatever they could hold."""
    names = [name for name, (mean, *_) in series.items() if mean[0] < LEARNT]
    if names:
        steps = next(iter(found.values()))[0].steps
        said = {"names": words.t("mixers.comma").join(names), "pairs": pairs[0], "share": f"{LEARNT:.0%}"}
        words.plain(words.t("mixers.unlearnt", steps=f"{steps:,}", **said), "line", "unlearnt")


def _spread(some: list[Any], length: int, pairs: list[int]) -> tuple[list[float], list[float], list[float]]:
    each = [{one.pairs: one.right for one in run.recall if one.length == length} for run in some]
    here = [[run[count] for run in each if count in run] for count in pairs]
    return [fmean(one) for one in here], [min(one) for one in here], [max(one) for one in here]


def _state(found: dict[str, list[Any]], length: int) -> None:
    names = [controls.called(name) for name in found]
    held = [float(dict(some[0].state)[length]) for some in found.values()]
    told = words.t("mixers.held")
    title = fields.say("mixers", "title_state", {"x": "held"}, length=length)
    chart = figures.lying_bars(names, {told: held}, title)
    drawn.figure(chart, "mixers.state", "state", {words.t("mixers.contestant"): names, told: held})
    pairs = max(one.pairs for some in found.values() for one in some[0].recall if one.length == length)
    right = [_spread(some, length, [pairs])[0][0] for some in found.values()]
    title = fields.say("mixers", "title_against", {"x": "held", "y": "right"}, pairs=pairs)
    chart = figures.dots(dict(zip(names, zip(held, right, strict=True), strict=True)), title)
    columns = {words.t("mixers.contestant"): names, told: held, words.t("mixers.right"): right}
    drawn.figure(chart, "mixers.against", "recall", columns)


def _table(found: dict[str, list[Any]]) -> None:
    every = [run for some in found.values() for run in some]
    seeds = {name: ", ".join(str(run.seed) for run in some) for name, some in found.items()}
    columns: dict[str, list[Any]] = {
        words.t("mixers.contestant"): [controls.called(name) for name in found],
        words.t("mixers.layers"): [
            words.t("mixers.comma").join(controls.called(one) for one in some[0].mixers) for some in found.values()
        ],
        words.t("mixers.parameters"): [f"{some[0].parameters:,}" for some in found.values()],
        words.t("mixers.seeds"): list(seeds.values()),
    }
    for length in LENGTHS:
        columns[words.t("mixers.held_at", length=length)] = [
            f"{dict(some[0].state)[length]:,}" for some in found.values()
        ]
    for length in LENGTHS:
        shares = [[dict(run.induction)[length] for run in some] for some in found.values()]
        columns[words.t("mixers.induction_at", length=length)] = [_range(one) for one in shares]
    few = core.analysis.spending.LENGTHS[0]
    columns[words.t("mixers.each_symbol", length=few)] = [f"{_work(some[0]) // few:,}" for some in found.values()]
    columns[words.t("mixers.seconds")] = [f"{fmean(run.seconds for run in some):.0f}" for some in found.values()]
    drawn.table(columns, "mixers.runs", "recall")
    said = {"machine": _listed(run.machine for run in every), "date": _listed(run.date for run in every)}
    words.plain(words.t("mixers.run_with", count=len(every), steps=f"{every[0].steps:,}", **said), "note", "run")
    st.code("python -m core.training.recall --out assets/weights/recall", language=None, wrap_lines=True)


def _work(run: Any) -> int:
    """Return the operations of a contestant's mixers, counted."""
    return sum(core.analysis.spending.spent(name).work[0] for name in run.mixers)


def _range(shares: list[float]) -> str:
    mean = f"{fmean(shares):.2f}"
    return mean if len(shares) < 2 else f"{mean} ({min(shares):.2f}–{max(shares):.2f})"


def _listed(said: Iterable[str]) -> str:
    return words.t("mixers.comma").join(dict.fromkeys(said))


def _own(names: tuple[str, ...]) -> None:
    told = pairs_of(controls.typed("pairs", longest=600, height=68))
    asked = controls.typed("asked", longest=40, show=st.text_input, width=220).strip()
    asked = asked or (told[0][0] if told else "")
    sample = runs.paired(told, asked)
    wanted = dict(told)[asked]
    said = {"asked": words.quoted(asked), "wanted": words.quoted(wanted)}
    words.plain(words.t("mixers.asked_for", pairs=len(told), **said), "first", "asked")
    here = [name for name in names if any(run.seed == 0 for run in runs.recall() if run.name == name)]
    if not here:
        return
    with st.spinner(words.t("mixers.working")):
        answers = {layer: {name: _answer(name, sample, wanted, layer) for name in here} for layer in LAYERS}
    _answers(answers[LAYERS[0]], wanted)
    words.plain(words.t("mixers.framed"), "line", "framed")
    place = 2 * max(number for number, pair in enumerate(told) if pair[0] == asked) + 1
    for layer, column in zip(LAYERS, st.columns(len(LAYERS), gap="large"), strict=True):
        with column:
            _rows(answers[layer], sample, layer, place)


def pairs_of(text: str) -> tuple[tuple[str, str], ...]:
    """Read pairs: two words each, apart from the next by a comma, a semicolon or a line; a third word is left out."""
    parts = (part.split() for part in re.split(r"[,;\n，；、]", text))
    return tuple((part[0], part[1]) for part in parts if len(part) > 1)


def _answer(name: str, sample: core.Sample, wanted: str, layer: int) -> Any:
    return core.analysis.recalled(core.trace(runs.contestant(name), sample), wanted, layer)


def _answers(answers: dict[str, Any], wanted: str) -> None:
    columns = {
        "contestant": [controls.called(name) for name in answers],
        "answer": [words.t("mixers.something") if one.word is None else one.word for one in answers.values()],
        "correct": [words.t(f"mixers.{'yes' if one.word == wanted else 'no'}") for one in answers.values()],
        "sure": [f"{one.probability:.3f}" for one in answers.values()],
        "wanted": [f"{one.wanted:.3f}" for one in answers.values()],
    }
    drawn.table({words.t(f"mixers.{key}"): values for key, values in columns.items()}, "mixers.answers", "answers")


def _rows(answers: dict[str, Any], sample: core.Sample, layer: int, right: int) -> None:
    cells = np.stack([one.row for one in answers.values()])
    names = [controls.called(name) for name in answers]
    axes = {"rows": "contestant", "columns": "symbol", "value": "share"}
    title = fields.say("mixers", "title_rows", axes, layer=layer)
    high, marked = 60 + figures.high(len(names)), slice(right, right + 1)
    chart = figures.signed_map(cells, names, sample.labels, title, height=high, top=1.0, marked=marked)
    ways = {words.t("mixers.row_is"): [words.t(f"mixers.short_{one.how}") for one in answers.values()]}
    ways |= {words.t("mixers.head"): [one.head for one in answers.values()]}
    drawn.figure(chart, f"mixers.rows-{layer}", "rows", {**sheets.grid("", names, sample.labels, cells), **ways})
