"""Gates: how much a state keeps and takes in at each word of the sentence."""

from __future__ import annotations

import streamlit as st

import core
from pages.plumbing import drawn, fields, sheets, words
from pages.plumbing.mixers import asking, controls

figures = core.figures
GATED = ("lstm", "mamba", "mamba2", "gated", "gated_delta")


def show() -> None:
    """Show the sentence, and every gate over its words."""
    text, names = asking.sentence(), asking.taught()
    gated = [name for name in GATED if name in names]
    if names and not gated:
        words.plain(words.t("mixers.no_gates"), "line", "gates")
    for name in gated:
        _one(name, asking.seen(name, text))


def _one(name: str, seen: asking.Seen) -> None:
    kind, values, labels = seen.gates.kind, seen.gates.values, seen.labels
    mean = values.mean(axis=1)
    first, last = int(mean.argmin()), int(mean.argmax())
    words.plain(words.t(f"mixers.gate_{kind}", name=controls.called(name)), "title", f"gate-{name}")
    said = {"least": words.quoted(labels[first]), "most": words.quoted(labels[last])}
    said |= {"low": sheets.measured(float(mean[first])), "high": sheets.measured(float(mean[last]))}
    words.plain(words.t(f"mixers.said_{kind}", **said), "line", f"said-{name}")
    left, right = st.columns(2, gap="large")
    units = [str(unit) for unit in range(values.shape[1])]
    with left:
        spread = {"lowest": values.min(axis=1), "mean": mean, "highest": values.max(axis=1)}
        series = {words.t(f"mixers.{key}"): numbers for key, numbers in spread.items()}
        title = fields.say("mixers", "title_gate", {"x": "word", "y": f"value_{kind}"}, name=controls.called(name))
        chart = figures.grouped_bars(labels, series, title)
        drawn.figure(chart, f"mixers.gate-{name}", f"gate_{kind}", {words.t("mixers.word"): labels, **series})
    with right:
        axes = {"query": "unit", "key": "word", "share": f"value_{kind}"}
        title = fields.say("mixers", "title_units", axes, name=controls.called(name))
        top = None if kind == "step" else 1.0
        chart = figures.heatmap(values.T, units, labels, title, top=top)
        drawn.figure(chart, f"mixers.units-{name}", f"gate_{kind}", sheets.grid("", units, labels, values.T))
