"""Knobs: the same text with something altered, beside the untouched run."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import doors, words
from pages.plumbing.inside import controls, draw
from pages.plumbing.inside.controls import say
from pages.plumbing.inside.spelling import measured

changes = core.changes
DEEPEST = 128
REACH = [-26, 26]
STREAM = ("residual", "norm")


def show(ref: core.TraceRef) -> None:
    """Show the chosen knob; one that leaves no finite number says where."""
    controls.pick("knob", label=False)
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        if controls.now("knob") == "temperature":
            controls.pick("temperature")
        chosen = controls.head(ref)
    knob = controls.now("knob")
    words.plain(words.t(f"inside.knob_{knob}_note"), "line", "knob")
    try:
        told = doors.ask(ref, core.analysis.knobs.turned, choice=chosen, changes=_changes(knob, chosen))
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "knob")
    else:
        _turned(ref, told, chosen, knob)
    if knob == "scale":
        _widths()
    if knob in STREAM:
        _depths()


def _changes(knob: str, chosen: core.Choice) -> tuple[Any, ...]:
    layers = (chosen.layer or 0,)
    here: dict[str, Any] = {"side": chosen.side, "layers": layers, "heads": chosen.heads}
    return {
        "scale": (changes.Scale(value=1.0),),
        "temperature": (changes.Temperature(value=float(controls.now("temperature"))),),
        "mask": (changes.NoMask(),),
        "uniform": (changes.Uniform(**here),),
        "drop": (changes.Drop(**here),),
        "one-head": (changes.OneHead(),),
        "residual": (changes.NoResidual(),),
        "norm": (changes.NoNorm(),),
    }[knob]


def _turned(ref: core.TraceRef, told: Any, chosen: core.Choice, knob: str) -> None:
    _said(told)
    labels, rule = controls.labels(ref, chosen.side), controls.rule(ref, chosen)
    rules = {"before": rule, "after": None if knob == "mask" else rule}
    for column, (name, allowed) in zip(st.columns(2, gap="medium"), rules.items(), strict=True):
        with column:
            draw.tokens(getattr(told, name), name, *labels, rule=allowed)
    if knob in STREAM:
        series = dict(zip((words.t("inside.title_before"), words.t("inside.title_after")), told.signal, strict=True))
        _curves("loaded", list(range(len(told.signal[0]))), series, "stream", {"x": "layer", "y": "sizes"})


def _said(told: Any) -> None:
    numbers = {
        "before": measured(told.evenness[0]),
        "after": measured(told.evenness[1]),
        "moved": f"{told.moved:.0%}",
        "ahead": f"{told.ahead[1]:.0%}",
        "final": f"{told.final:.0%}",
    }
    words.plain(words.t("inside.moved", **numbers), "first", "moved")
    words.plain(words.t("inside.happened", **numbers), "line", "happened")
    if told.ahead[0] == 0 < told.ahead[1]:
        words.plain(words.t("inside.leaks", **numbers), "line", "leaks")


def _widths() -> None:
    found = core.analysis.knobs.widths()
    st.subheader(words.t("inside.widths"), anchor=False)
    words.plain(words.t("inside.told_widths"), "line", "widths")
    pairs = {
        "variance": (found.variance, found.variance_scaled),
        "evenness": (found.evenness, found.evenness_scaled),
    }
    for column, (name, pair) in zip(st.columns(2, gap="medium"), pairs.items(), strict=True):
        series = dict(zip((words.t("inside.unscaled"), words.t("inside.scaled")), pair, strict=True))
        with column:
            _curves(name, list(found.widths), series, "widths", {"x": "head_width", "y": name}, tall=False)


def _depths() -> None:
    sizes = {name: core.analysis.stacks.sizes(name, DEEPEST) for name in core.analysis.stacks.WIRINGS}
    st.subheader(words.t("inside.stacks"), anchor=False)
    words.plain(words.t("inside.told_stacks"), "line", "stacks")
    for column, name in zip(st.columns(2, gap="medium"), ("signal", "gradient"), strict=True):
        series = {words.t(f"inside.wiring_{wiring}"): getattr(found, name) for wiring, found in sizes.items()}
        with column:
            _curves(name, list(range(DEEPEST + 1)), series, "stacks", {"x": "layer", "y": "sizes"})


def _curves(name: str, x: list[int], series: Any, source: str, axes: dict[str, str], *, tall: bool = True) -> None:
    chart = core.figures.curves(x, series, say(f"title_{name}", axes), tall=tall)
    if name == "gradient":
        chart.update_yaxes(range=REACH)
    draw.figure(chart, name, source, {words.t(f"inside.{axes['x']}"): x, **series})
