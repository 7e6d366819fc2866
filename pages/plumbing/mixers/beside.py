"""Recurrent layers beside a Transformer's: what was counted and measured of both, in one table."""

from __future__ import annotations

from math import isfinite, nan
from typing import Any

import streamlit as st

import core
from pages.plumbing import drawn, fields, words
from pages.plumbing.mixers import controls

figures, runs, forgetting, spending = core.figures, core.runs, core.analysis.forgetting, core.analysis.spending
NAMES, FAR = ("elman", "lstm", "full"), 63
WAYS = (False, True)


def show() -> None:
    """Show the table, and how the loss of stacks goes with their depth."""
    words.plain(words.t("mixers.beside"), "title", "beside")
    st.markdown(words.t("mixers.beside_lead", length=spending.LENGTHS[0], distance=FAR))
    found, times = _stacks(), {one.name: one for one in runs.times()}
    rows = {**_counted(), **_clocked(times), **_trained(found)}
    columns: dict[str, list[Any]] = {words.t("mixers.measure"): list(rows)}
    for name in NAMES:
        columns[controls.called(name)] = [row[name] for row in rows.values()]
    drawn.table(columns, "mixers.beside", "beside")
    told = {(one.command, one.machine, one.date) for one in (*found.values(), *times.values())}
    for command, machine, date in sorted(told):
        words.plain(words.t("mixers.saved", command=command, machine=machine, date=date), "note", f"saved-{command}")
    if found:
        _losses(found)


def _stacks() -> dict[tuple[str, bool], Any]:
    return {(one.name, one.around): one for one in runs.stacks()}


def _counted() -> dict[str, dict[str, str]]:
    """Return what is counted while the mixers run, and the steps between two words."""
    spent = {name: spending.spent(name) for name in NAMES}
    return {
        words.t("mixers.waits"): {name: f"{one.chain[0]:,}" for name, one in spent.items()},
        words.t("mixers.abreast"): {name: f"{one.abreast:,}" for name, one in spent.items()},
        words.t("mixers.path_far", distance=FAR): {name: str(forgetting.path(name, FAR)) for name in NAMES},
    }


def _clocked(times: dict[str, Any]) -> dict[str, dict[str, str]]:
    if not times:
        return {}
    length = next(iter(times.values())).length
    return {
        words.t("mixers.together", length=length): {name: f"{1000 * times[name].together:.2f}" for name in NAMES},
        words.t("mixers.apart", length=length): {name: f"{1000 * times[name].apart:.1f}" for name in NAMES},
        words.t("mixers.products"): {name: f"{times[name].products:.0%}" for name in NAMES},
    }


def _trained(found: dict[tuple[str, bool], Any]) -> dict[str, dict[str, str]]:
    rows = {around: {name: _deepest(found[name, around]) for name in NAMES} for around in WAYS} if found else {}
    return {words.t(f"mixers.deepest_{_way(around)}"): row for around, row in rows.items()}


def _deepest(one: Any) -> str:
    if one.deepest is None:
        return words.t("mixers.none_trains")
    return words.t("mixers.or_more", depth=one.deepest) if one.deepest == one.losses[-1][0] else str(one.deepest)


def _losses(found: dict[tuple[str, bool], Any]) -> None:
    """Show the loss on sentences never taught against the depth of the stack, beside what frequencies leave."""
    depths = [depth for depth, _ in next(iter(found.values())).losses]
    series = {
        words.t(f"mixers.stack_{_way(around)}", name=controls.called(name)): [
            loss if isfinite(loss) else nan for _, loss in one.losses
        ]
        for (name, around), one in found.items()
    }
    first = next(iter(found.values()))
    series[words.t("mixers.frequent")] = [first.frequent] * len(depths)
    title = fields.say("mixers", "title_stacks", {"x": "layers_deep", "y": "loss"}, steps=first.steps)
    chart = figures.curves(depths, series, title)
    chart.update_xaxes(type="category")
    chart.update_layout(height=520, legend_y=-0.25)
    drawn.figure(chart, "mixers.stacks", "stacks", {words.t("mixers.layers_deep"): depths, **series})
    words.plain(words.t("mixers.said_stacks", learnt=f"{runs.LEARNT:g}"), "line", "stacks")


def _way(around: bool) -> str:
    return "around" if around else "bare"
