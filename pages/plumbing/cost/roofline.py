"""Roofline: how fast a chip can be at best, and whether it waits for its memory or for its arithmetic."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import drawn, words
from pages.plumbing.cost import bill, formula
from pages.plumbing.cost.amounts import many, size
from pages.plumbing.sheets import measured

figures, cost = core.figures, core.cost
INTENSITIES = tuple(2 ** (power / 2) for power in range(-4, 33))
WAY_OUT = 32


def show(_: core.TraceRef) -> None:
    """Show the roofs of all chips, with reading and writing of one model on one of them."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        model, chip = bill.model(), bill.chip()
        load = bill.load()
    length = bill.length()
    bill.beyond(model, length)
    stages = _stages(model, length, load)
    _chart(model, chip, length, stages)
    _said(chip, stages)
    _chips()
    formula.show("roofline")


def _stages(model: Any, length: int, load: Any) -> dict[str, Any]:
    """Return reading and writing, and writing of many texts at once where it is one only."""
    found = {
        words.t("cost.point_reading"): cost.reading(model, length, load),
        words.t("cost.point_writing"): cost.writing(model, length, 1, load),
    }
    if load.batch < WAY_OUT:
        together = cost.Load(batch=WAY_OUT, weight=load.weight, kept=load.kept)
        found[words.t("cost.point_together", batch=WAY_OUT)] = cost.writing(model, length, 1, together)
    return found


def _chart(model: Any, chip: Any, length: int, stages: dict[str, Any]) -> None:
    known = tuple(bill.chips().values())
    places = sorted({*INTENSITIES, *(one.ridge for one in known), *(2 * one.intensity for one in stages.values())})
    lines = {one.title: (places, [one.roof(at) for at in places]) for one in known}
    ordered = {chip.title: lines.pop(chip.title), **lines}
    dots = {name: (stage.intensity, chip.roof(stage.intensity)) for name, stage in stages.items()}
    marks = {words.t("cost.ridge", intensity=measured(round(chip.ridge))): chip.ridge}
    named = {"name": model.title, "length": f"{length:,}"}
    title = bill.say("title_roofline", {"x": "intensity", "y": "speed"}, **named)
    chart = figures.scaling(ordered, title, marks=marks, dots=dots, faint=tuple(lines), height=480)
    numbers = {words.t("cost.intensity"): places} | {name: line[1] for name, line in ordered.items()}
    drawn.figure(chart, "cost.roofline", "roofline", numbers)


def _said(chip: Any, stages: dict[str, Any]) -> None:
    columns: dict[str, list[Any]] = {words.t("cost.what"): list(stages)}
    columns[words.t("cost.operations")] = [many(one.operations) for one in stages.values()]
    columns[words.t("cost.bytes")] = [size(one.bytes) for one in stages.values()]
    columns[words.t("cost.intensity")] = [whole(one.intensity) for one in stages.values()]
    columns[words.t("cost.waits")] = [words.t(f"cost.{waiting(one, chip)}") for one in stages.values()]
    columns[words.t("cost.milliseconds")] = [measured(1000 * one.seconds(chip)) for one in stages.values()]
    drawn.table(columns, "cost.stages", "stages")


def whole(number: int | float) -> str:
    """Write a number with four digits, a large one whole."""
    return f"{number:,.0f}" if number >= 1000 else measured(number)


def waiting(stage: Any, chip: Any) -> str:
    """Return the word for what a chip waits for."""
    return "waits_memory" if stage.waits_for_memory(chip) else "waits_arithmetic"


def _chips() -> None:
    known = tuple(bill.chips().values())
    words.plain(words.t("cost.chips"), "title", "chips")
    columns: dict[str, list[Any]] = {
        words.t("cost.chip"): [one.title for one in known],
        words.t("cost.peak"): [f"{one.operations / 1e12:.4g}" for one in known],
        words.t("cost.format"): [one.format for one in known],
        words.t("cost.bandwidth"): [f"{one.bandwidth / 1e9:.4g}" for one in known],
        words.t("cost.memory"): ["—" if one.measured else f"{one.memory / 1e9:g}" for one in known],
        words.t("cost.ridge_at"): [measured(round(one.ridge)) for one in known],
        words.t("cost.source"): [_stated(one) for one in known],
    }
    drawn.table(columns, "cost.chips", "chips", wide={words.t("cost.source"): 640})
    bill.where({one.title: _stated(one) for one in known})


def _stated(chip: Any) -> str:
    """Say what is stated of a chip, and where; of a machine, when it was measured."""
    return chip.source if chip.measured else f"{words.t(f'cost.chip_{chip.name}')} · {chip.address}"
