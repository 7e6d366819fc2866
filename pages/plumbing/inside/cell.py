"""One cell: how a query comes to give a key its share, and what becomes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import doors, drawn, pointing, words
from pages.plumbing.inside import draw, layer
from pages.plumbing.pointing import Labels
from pages.plumbing.sheets import measured, numbered


def show(ref: core.TraceRef) -> None:
    """Show the chosen cell, step by step: words and formulas on the left, the model's numbers on the right."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = pointing.cell("inside", ref, pointing.head("inside", ref))
    told = doors.ask(ref, core.analysis.explain, query=chosen.query, key=chosen.key, **pointing.where(chosen))
    labels = pointing.labels(ref, chosen.side)
    place = chosen.key or 0
    named = {"query": words.quoted(labels[0][chosen.query or 0]), "other": words.quoted(labels[1][place])}
    share = measured(float(told.cell.shares[place]))
    words.plain(words.t("inside.gives", share=share, **named), "first", "gives")
    _products(told, named)
    _score(told)
    _row(told, labels[1], place)
    _moved(ref, told, labels)
    _written(told)
    layer.show(told, named["query"])


def _products(told: Any, named: dict[str, str]) -> None:
    cell = told.cell
    left, right = draw.spread("dot")
    with left:
        numbers = {"head": told.head, "group": told.group, "width": len(cell.products), "dot": cell.dot}
        draw.step("dot", **named, **numbers)
        draw.proof("dot", max(told.errors["queries"], told.errors["keys"]))
        draw.proof("dot-row", told.errors["dot"], "proof_twin")
    with right:
        chart = core.figures.signed_bars(cell.products, draw.say("title_products", {"x": "dimension", "y": "product"}))
        columns = {
            words.t("inside.dimension"): list(range(len(cell.products))),
            words.t("inside.of_query"): cell.query,
            words.t("inside.of_key"): cell.key,
            words.t("inside.product"): cell.products,
        }
        drawn.figure(chart, "inside.products", "scores", columns)


def _score(told: Any) -> None:
    cell = told.cell
    left, right = draw.spread("score", even=True)
    usual = abs(cell.scale * len(cell.products) ** 0.5 - 1) < 1e-6
    scaled = {"dot": cell.dot, "scale": cell.scale, "scaled": cell.dot * cell.scale, "width": len(cell.products)}
    with left:
        draw.step("scale" if usual else "scale-own", **scaled)
        draw.proof("scale", told.errors["scale"], "proof_twin")
        if "bias" in told.errors:
            draw.step("bias", bias=cell.bias, score=cell.dot * cell.scale + cell.bias)
            draw.proof("bias", told.errors["bias"], "proof_twin")
        if cell.cap is not None:
            draw.step("cap", cap=cell.cap)
            draw.proof("cap", told.errors["cap"], "proof_twin")
    with right:
        draw.step("mask" if cell.may else "masked", score=cell.score)
        draw.proof("mask", told.errors["mask"], "proof_twin")


def _row(told: Any, columns: tuple[str, ...], key: int) -> None:
    cell = told.cell
    left, right = draw.spread("softmax")
    with left:
        parts = {"exponential": float(cell.exponentials[key]), "total": cell.total, "share": float(cell.shares[key])}
        draw.step("softmax", keys=len(columns), **parts)
        words.plain(words.t("inside.proof_share", error=measured(told.errors["share"])), "note", "proof-softmax")
    with right:
        token = words.t("inside.token")
        numbers = {
            token: numbered(columns),
            words.t("inside.score"): cell.scores,
            words.t("inside.exponential"): cell.exponentials,
            words.t("inside.share"): cell.shares,
        }
        shown = {name: list(values) if name == token else [*map(measured, values)] for name, values in numbers.items()}
        drawn.table(shown, "inside.row", "softmax", numbers)


def _moved(ref: core.TraceRef, told: Any, labels: Labels) -> None:
    left, right = draw.spread("mixed")
    with left:
        size = float(np.linalg.norm(told.moved.mixed))
        draw.step("mixed", width=len(told.moved.mixed), head=told.head, size=size)
        draw.proof("mixed", max(told.errors["values"], told.errors["mixed"]))
    with right:
        draw.bars(told.moved.mixed, "mixed", "scores")
    words.plain(words.t("inside.step_explanation"), "who", "step-explanation")
    words.plain(words.t("inside.not_explanation"), "line", "explanation")
    _strength(told, labels)
    head = core.Choice(side=told.side, layer=told.layer, heads=(told.head,))
    plain = doors.ask(ref, core.analysis.one_map, choice=head)
    weighted = doors.ask(ref, core.analysis.weighted, layer=told.layer, head=told.head, side=told.side)
    rule = pointing.rule(ref, head)
    for column, name, cells in zip(st.columns(2, gap="medium"), ("plain", "weighted"), (plain, weighted), strict=True):
        with column:
            draw.tokens(cells, name, labels, rule=rule, weighted=name == "weighted")


def _strength(told: Any, labels: Labels) -> None:
    strength = told.moved.strength
    series = {
        words.t("inside.share"): told.cell.shares,
        words.t("inside.strength_part"): strength / max(float(strength.sum()), 1e-30),
    }
    said = draw.say("title_strength", {"x": "token", "y": "part_of_all"})
    numbers = {words.t("inside.token"): numbered(labels[1]), **series, words.t("inside.strength"): strength}
    drawn.figure(core.figures.grouped_bars(labels[1], series, said), "inside.strength", "strength", numbers)


def _written(told: Any) -> None:
    moved = told.moved
    left, right = draw.spread("written")
    with left:
        heads = len(moved.joined) // len(moved.mixed)
        draw.step("joined", heads=heads, width=len(moved.joined), head=told.head)
        draw.proof("joined", told.errors["mixed"])
        size = float(np.linalg.norm(moved.written))
        draw.step("written", width=len(moved.written), head=told.head, size=size)
        draw.proof("written", told.errors["written"], "proof_written")
    with right:
        draw.bars(moved.joined, "joined", "scores", marked=slice(moved.first, moved.first + len(moved.mixed)))
        draw.bars(moved.written, "written", "scores")
