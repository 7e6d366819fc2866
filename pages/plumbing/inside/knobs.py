"""Knobs: the same text with something altered, beside the untouched run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import doors, fields, pointing, words
from pages.plumbing.inside import draw
from pages.plumbing.inside.depth import whole_size
from pages.plumbing.sheets import measured

changes, knobs, flow, stacks = core.changes, core.analysis.knobs, core.analysis.flow, core.analysis.stacks
DEEPEST = 128
REACH = (-26.0, 26.0)
STREAM = ("residual", "norm")


def show(ref: core.TraceRef) -> None:
    """Show the chosen knob; one that leaves no finite number says where."""
    fields.pick("inside.knob", label=False)
    knob = fields.now("inside.knob")
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        if knob == "temperature":
            fields.pick("inside.temperature")
        chosen = pointing.head("inside", ref)
    words.plain(words.t(f"inside.knob_{knob}_note"), "line", "knob")
    try:
        _turned(ref, chosen, knob)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "knob")
    if knob == "scale":
        _widths()
    if knob in STREAM:
        _depths()


def _changes(knob: str, chosen: core.Choice) -> tuple[Any, ...]:
    here: dict[str, Any] = {"side": chosen.side, "layers": (chosen.layer or 0,), "heads": chosen.heads}
    return {
        "scale": (changes.Scale(value=1.0),),
        "temperature": (changes.Temperature(value=float(fields.now("inside.temperature"))),),
        "mask": (changes.NoMask(),),
        "uniform": (changes.Uniform(**here),),
        "drop": (changes.Drop(**here),),
        "one-head": (changes.OneHead(),),
        "residual": (changes.NoResidual(),),
        "norm": (changes.NoNorm(),),
    }[knob]


def _turned(ref: core.TraceRef, chosen: core.Choice, knob: str) -> None:
    """Run the text with the change, once for all heads where it concerns them all, and compare the chosen one."""
    altered = _changes(knob, chosen)
    again = doors.beside(ref, altered)
    head = replace(chosen, query=None, key=None)
    runs = {"before": ref, "after": again}
    told = knobs.compared(*(doors.ask(run, knobs.seen, choice=head) for run in runs.values()))
    labels = pointing.labels(ref, chosen.side)
    _said(told, labels[1])
    for column, (name, run) in zip(st.columns(2, gap="medium"), runs.items(), strict=True):
        with column:
            mark = told.leak.key if told.leak and name == "after" else None
            draw.tokens(getattr(told, name), name, labels, rule=pointing.rule(run, chosen), mark=mark)
    if knob in STREAM:
        _sizes(told, runs, chosen.side, altered)


def _said(told: Any, columns: tuple[str, ...]) -> None:
    numbers = {
        "before": measured(told.evenness[0]),
        "after": measured(told.evenness[1]),
        "moved": f"{told.moved:.0%}",
        "ahead": f"{told.ahead[1]:.0%}",
        "final": f"{told.final:.0%}",
    }
    words.plain(words.t("inside.moved", **numbers), "first", "moved")
    words.plain(words.t("inside.happened", **numbers), "line", "happened")
    if told.leak:
        column = {"token": words.quoted(columns[told.leak.key]), "share": f"{told.leak.share:.0%}"}
        words.plain(words.t("inside.leaks", **numbers, **column), "line", "leaks")


def _sizes(told: Any, runs: dict[str, core.TraceRef], side: str | None, altered: tuple[Any, ...]) -> None:
    """Draw the size of the stream and of the gradient in the loaded model, before and after."""
    names = [words.t(f"inside.title_{name}") for name in runs]
    given = {"before": (), "after": altered}
    gradients = [
        whole_size(doors.ask(run, flow.gradients, side=side, changes=given[name])) for name, run in runs.items()
    ]
    found = {"loaded": (told.signal, "stream"), "gradient_loaded": (gradients, "gradient")}
    for column, (name, (pair, source)) in zip(st.columns(2, gap="medium"), found.items(), strict=True):
        with column:
            draw.curves(name, dict(zip(names, pair, strict=True)), source, {"x": "layer", "y": "sizes"}, tall=True)
    words.plain(words.t("inside.told_gradient"), "note", "told-gradient")


def _widths() -> None:
    found = knobs.widths()
    st.subheader(words.t("inside.widths"), anchor=False)
    words.plain(words.t("inside.told_widths"), "line", "widths")
    pairs = {
        "variance": (found.variance, found.variance_scaled),
        "evenness": (found.evenness, found.evenness_scaled),
    }
    for column, (name, pair) in zip(st.columns(2, gap="medium"), pairs.items(), strict=True):
        series = dict(zip((words.t("inside.unscaled"), words.t("inside.scaled")), pair, strict=True))
        with column:
            draw.curves(name, series, "widths", {"x": "head_width", "y": name}, x=found.widths)


def _depths() -> None:
    sizes = {name: stacks.sizes(name, DEEPEST) for name in stacks.WIRINGS}
    st.subheader(words.t("inside.stacks"), anchor=False)
    words.plain(words.t("inside.told_stacks"), "line", "stacks")
    for column, name in zip(st.columns(2, gap="medium"), ("signal", "gradient"), strict=True):
        series = {words.t(f"inside.wiring_{wiring}"): getattr(found, name) for wiring, found in sizes.items()}
        reach = REACH if name == "gradient" else None
        with column:
            draw.curves(name, series, "stacks", {"x": "layer", "y": "sizes"}, tall=True, reach=reach)
