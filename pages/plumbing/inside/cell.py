"""One cell: how a query comes to give a key its share, and what becomes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, words
from pages.plumbing.inside import controls, draw
from pages.plumbing.inside.controls import say
from pages.plumbing.inside.spelling import measured

WIRINGS = ("PostNorm", "PreNorm", "InnerNorm", "Sandwich", "Parallel", "SharedNorm", "NormedStream")


def show(ref: core.TraceRef) -> None:
    """Show the chosen cell, step by step: words and formulas on the left, the model's numbers on the right."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = controls.cell(ref, controls.head(ref))
    told = doors.ask(ref, core.analysis.explain, query=chosen.query, key=chosen.key, **controls.where(chosen))
    labels = controls.labels(ref, chosen.side)
    place = chosen.key or 0
    named = {"query": words.quoted(labels[0][chosen.query or 0]), "other": words.quoted(labels[1][place])}
    share = measured(float(told.cell.shares[place]))
    words.plain(words.t("inside.gives", share=share, **named), "first", "gives")
    _products(told, named)
    _score(told)
    _row(told, labels[1], place)
    _written(told)
    _moved(ref, told, labels)
    _onwards(told)
    _errors(told)


def _products(told: Any, named: dict[str, str]) -> None:
    cell = told.cell
    left, right = draw.spread("dot")
    with left:
        numbers = {"head": told.head, "group": told.group, "width": len(cell.products), "dot": cell.dot}
        draw.step("dot", **named, **numbers)
    with right:
        chart = core.figures.signed_bars(cell.products, say("title_products", {"x": "dimension", "y": "product"}))
        columns = {
            words.t("inside.dimension"): list(range(len(cell.products))),
            words.t("inside.of_query"): cell.query,
            words.t("inside.of_key"): cell.key,
            words.t("inside.product"): cell.products,
        }
        draw.figure(chart, "products", "scores", columns)


def _score(told: Any) -> None:
    cell = told.cell
    left, right = draw.spread("score", even=True)
    usual = abs(cell.scale * len(cell.products) ** 0.5 - 1) < 1e-6
    scaled = {"dot": cell.dot, "scale": cell.scale, "scaled": cell.dot * cell.scale, "width": len(cell.products)}
    with left:
        draw.step("scale" if usual else "scale-own", **scaled)
        if cell.bias:
            draw.step("bias", bias=cell.bias, score=cell.dot * cell.scale + cell.bias)
        if cell.cap is not None:
            draw.step("cap", cap=cell.cap)
    with right:
        draw.step("mask" if cell.may else "masked", score=cell.score)


def _row(told: Any, columns: tuple[str, ...], key: int) -> None:
    cell = told.cell
    left, right = draw.spread("softmax")
    with left:
        parts = {"exponential": float(cell.exponentials[key]), "total": cell.total, "share": float(cell.shares[key])}
        draw.step("softmax", keys=len(columns), **parts)
    with right:
        token = words.t("inside.token")
        numbers = {
            token: controls.numbered(columns),
            words.t("inside.score"): cell.scores,
            words.t("inside.exponential"): cell.exponentials,
            words.t("inside.share"): cell.shares,
        }
        shown = {name: list(values) if name == token else [*map(measured, values)] for name, values in numbers.items()}
        draw.table(shown, "row", "softmax", numbers)


def _written(told: Any) -> None:
    for name, values in (("mixed", told.moved.mixed), ("written", told.moved.written)):
        left, right = draw.spread(name)
        with left:
            draw.step(name, width=len(values), head=told.head, size=float(np.linalg.norm(values)))
        with right:
            chart = core.figures.signed_bars(values, say(f"title_{name}", {"x": "dimension", "y": "value"}))
            places = list(range(len(values)))
            draw.figure(chart, name, "scores", {words.t("inside.dimension"): places, words.t("inside.value"): values})


def _moved(ref: core.TraceRef, told: Any, labels: tuple[tuple[str, ...], ...]) -> None:
    words.plain(words.t("inside.step_explanation"), "who", "step-explanation")
    words.plain(words.t("inside.not_explanation"), "line", "explanation")
    strength = told.moved.strength
    series = {
        words.t("inside.share"): told.cell.shares,
        words.t("inside.strength_part"): strength / max(float(strength.sum()), 1e-30),
    }
    chart = core.figures.grouped_bars(labels[1], series, say("title_strength", {"x": "token", "y": "part_of_all"}))
    numbers = {words.t("inside.token"): controls.numbered(labels[1]), **series, words.t("inside.strength"): strength}
    draw.figure(chart, "strength", "strength", numbers)
    head = core.Choice(side=told.side, layer=told.layer, heads=(told.head,))
    plain = doors.ask(ref, core.analysis.one_map, choice=head)
    weighted = doors.ask(ref, core.analysis.weighted, layer=told.layer, head=told.head, side=told.side)
    rule = controls.rule(ref, head)
    for column, name, cells in zip(st.columns(2, gap="medium"), ("plain", "weighted"), (plain, weighted), strict=True):
        with column:
            draw.tokens(cells, name, *labels, rule=rule, top=1.0 if name == "plain" else None)


def _onwards(told: Any) -> None:
    left, right = draw.spread("stages")
    with left:
        words.plain(words.t("inside.step_stages"), "who", "step-stages")
        if told.wiring in WIRINGS:
            st.latex(words.t(f"inside.wiring_formula_{told.wiring}"))
        words.plain(words.t("inside.told_stages"), "line", "told-stages")
    with right:
        stages = told.stages
        numbers = {
            words.t("inside.part"): [stage.part for stage in stages],
            words.t("inside.kind"): [stage.kind for stage in stages],
            words.t("inside.shape"): [" × ".join(map(str, stage.shape)) for stage in stages],
            words.t("inside.size"): [float((stage.values**2).mean() ** 0.5) for stage in stages],
        }
        whole = {f"{n} {stage.part} ({stage.kind})": stage.values.ravel() for n, stage in enumerate(stages)}
        draw.table(numbers, "stages", "layer", whole)


def _errors(told: Any) -> None:
    left, right = draw.spread("errors")
    with left:
        words.plain(words.t("inside.step_errors"), "who", "step-errors")
        words.plain(words.t("inside.told_errors", worst=measured(max(told.errors.values()))), "line", "told-errors")
    names = [words.t(f"inside.error_{name}") for name in told.errors]
    what, error = words.t("inside.what"), words.t("inside.error")
    with right:
        shown = {what: names, error: [measured(value) for value in told.errors.values()]}
        draw.table(shown, "errors", "errors", {what: names, error: list(told.errors.values())})
