"""Reading against writing: the same number of tokens as a prompt and as an answer, and what each costs at least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.cost import bill, formula
from pages.plumbing.cost.amounts import many, money, size
from pages.plumbing.cost.roofline import waiting, whole
from pages.plumbing.sheets import measured

figures, cost = core.figures, core.cost
BATCHES = tuple(2**power for power in range(11))
BEFORE = 1
MOST, STEP, GIGA = 9999.0, 0.5, 1e9


def show(_: core.TraceRef) -> None:
    """Show a long prompt beside a long answer, then what many texts at once change, then the bill."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        model, chip = bill.model(), bill.chip()
        load, hour = bill.load(), fields.amount("cost.price", MOST, STEP)
    length = bill.length()
    bill.beyond(model, length)
    stages = (cost.reading(model, length, load), cost.writing(model, BEFORE, length, load))
    _told(model, chip, length, stages)
    left, right = st.columns(2, gap="large")
    with left:
        _bars(stages)
    with right:
        _batches(model, chip, length, load)
    _enough(model, chip, length, load)
    _bill(chip, stages, hour)
    formula.show("reading")


def _told(model: Any, chip: Any, length: int, stages: Sequence[Any]) -> None:
    read, written = stages
    more = written.seconds(chip) / read.seconds(chip)
    said = {
        "name": model.title,
        "chip": chip.title,
        "length": f"{length:,}",
        "times": f"{more:,.0f}" if more >= 10 else measured(more),
    }
    words.plain(words.t("cost.told", **said), "first", "told")
    words.plain(words.t("cost.reason", weights=size(read.weights), length=f"{length:,}"), "line", "reason")
    columns: dict[str, list[Any]] = {words.t("cost.what"): [words.t("cost.prompt"), words.t("cost.answer")]}
    columns[words.t("cost.each_operations")] = [many(one.operations / one.tokens) for one in stages]
    columns[words.t("cost.each_bytes")] = [size(one.bytes / one.tokens) for one in stages]
    columns[words.t("cost.intensity")] = [whole(one.intensity) for one in stages]
    columns[words.t("cost.waits")] = [words.t(f"cost.{waiting(one, chip)}") for one in stages]
    columns[words.t("cost.each_time")] = [f"{1e6 * one.seconds(chip) / one.tokens:,.1f}" for one in stages]
    columns[words.t("cost.all_time")] = [f"{one.seconds(chip):,.3f}" for one in stages]
    drawn.table(columns, "cost.sides", "stages")


def _bars(stages: Sequence[Any]) -> None:
    """Draw the bytes that each token reads, by what they are."""
    names = [words.t("cost.prompt"), words.t("cost.answer")]
    series = {
        words.t("cost.weights"): [one.weights / one.tokens / GIGA for one in stages],
        words.t("cost.cache"): [one.cache / one.tokens / GIGA for one in stages],
    }
    title = bill.say("title_each", {"x": "each_gigabytes"})
    numbers = {words.t("cost.what"): names, **series}
    drawn.figure(figures.lying_bars(names, series, title), "cost.each", "stages", numbers)


def _batches(model: Any, chip: Any, length: int, load: Any) -> None:
    """Draw how the time of a token falls as more texts are written at once."""
    steps = {size: cost.writing(model, length, 1, _together(load, size)) for size in BATCHES}
    read = {size: cost.reading(model, length, _together(load, size)) for size in BATCHES}
    lines = {
        words.t("cost.answer"): [1e6 * one.seconds(chip) / one.tokens for one in steps.values()],
        words.t("cost.prompt"): [1e6 * one.seconds(chip) / one.tokens for one in read.values()],
    }
    title = bill.say("title_batches", {"x": "batch", "y": "each_time"}, length=f"{length:,}")
    marks = {words.t("cost.batch_here", batch=f"{load.batch:,}"): load.batch}
    chart = figures.scaling({name: (BATCHES, line) for name, line in lines.items()}, title, marks=marks, height=380)
    drawn.figure(chart, "cost.batches", "stages", {words.t("cost.batch"): BATCHES, **lines})


def _together(load: Any, batch: int) -> Any:
    return cost.Load(batch=batch, weight=load.weight, kept=load.kept)


def _enough(model: Any, chip: Any, length: int, load: Any) -> None:
    """Say how many texts at once are enough, and whether they fit."""
    count = cost.enough(model, chip, length, load)
    told = {"length": f"{length:,}", "name": model.title, "chip": chip.title}
    if count is None:
        words.plain(words.t("cost.never_enough", **told), "line", "enough")
    elif chip.measured:
        words.plain(words.t("cost.enough_here", batch=f"{count:,}", **told), "line", "enough")
    else:
        needed = cost.cards(model, chip, length, _together(load, count))
        words.plain(words.t("cost.enough", batch=f"{count:,}", cards=f"{needed:,}", **told), "line", "enough")


def _bill(chip: Any, stages: Sequence[Any], hour: float) -> None:
    read, written = (one.price(chip, hour) for one in stages)
    words.plain(words.t("cost.bill"), "title", "bill")
    words.plain(words.t("cost.prices", read=money(read), written=money(written)), "first", "prices")
    words.plain(words.t("cost.bound", hour=f"{hour:g}", chip=chip.title), "note", "bound")
    columns: dict[str, list[Any]] = {
        words.t("cost.what"): [words.t("cost.price_in"), words.t("cost.price_out")],
        words.t("cost.million"): [money(read), money(written)],
        words.t("cost.speed_tokens"): [f"{one.tokens / one.seconds(chip):,.0f}" for one in stages],
    }
    drawn.table(columns, "cost.bill", "bill")
