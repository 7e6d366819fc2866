"""One cell: how a query comes to give a key its share, and what becomes of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import choice, doors, drawn, parted, pointing, words
from pages.plumbing.inside import draw, layer
from pages.plumbing.pointing import Labels
from pages.plumbing.sheets import measured, numbered

STEPS = ("scale", "bias", "cap", "mask")

#: Seconds in which a browser draws what came; what comes sooner it draws together with it, all of it later.
DRAWN = 0.05


def show(ref: core.TraceRef) -> None:
    """Show the chosen cell, step by step: words and formulas on the left, the model's numbers on the right.

    Another query runs the steps again, another key only those that it belongs to.
    """
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        parted.part("inside", _of_query, ref, pointing.head("inside", ref))


def _of_query(ref: core.TraceRef, head: core.Choice) -> None:
    """Show which query looks, how it comes to give a key its share, and what becomes of it."""
    box, chosen = st.container(), pointing.placed(ref, replace(head, query=choice.view().chosen.query))
    parted.part("inside", _of_key, ref, chosen)
    with box:
        pointing.query_box("inside", ref, chosen)
    with st.container(key="of-query"):
        told, labels = _told(ref, chosen), pointing.labels(ref, chosen.side)
        _moved(ref, told, labels)
        _written(told)
        layer.show(told, words.quoted(labels[0][chosen.query or 0]))


def _of_key(ref: core.TraceRef, looking: core.Choice) -> None:
    """Show which key is looked at, and how the query comes to give it its share: first what is in view."""
    box, chosen = st.container(), pointing.placed(ref, replace(looking, key=choice.view().chosen.key))
    told, labels, place = _told(ref, chosen), pointing.labels(ref, chosen.side), chosen.key or 0
    named = {"query": words.quoted(labels[0][chosen.query or 0]), "other": words.quoted(labels[1][place])}
    with st.container(key="of-key"):
        share = measured(float(told.cell.shares[place]))
        words.plain(words.t("inside.gives", share=share, **named), "first", "gives")
        _products(told, named)
        time.sleep(DRAWN)
        with box:
            pointing.key_box("inside", ref, chosen)
        _score(told)
        _row(told, labels[1], place)


def _told(ref: core.TraceRef, chosen: core.Choice) -> Any:
    return doors.ask(ref, core.analysis.explain, query=chosen.query, key=chosen.key, **pointing.where(chosen))


def _products(told: Any, named: dict[str, str]) -> None:
    cell = told.cell
    left, right = draw.spread()
    with left:
        notes = (max(told.errors["queries"], told.errors["keys"]), "proof"), (told.errors["dot"], "proof_twin")
        numbers = {"head": told.head, "group": told.group, "width": len(cell.products), "dot": cell.dot}
        draw.step("dot", *(draw.proof(*note) for note in notes), **named, **numbers)
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
    left, right = draw.spread(even=True)
    usual = abs(cell.scale * len(cell.products) ** 0.5 - 1) < 1e-6
    twin = {step: draw.proof(told.errors[step], "proof_twin") for step in STEPS if step in told.errors}
    scaled = {"dot": cell.dot, "scale": cell.scale, "scaled": cell.dot * cell.scale, "width": len(cell.products)}
    with left:
        draw.step("scale" if usual else "scale-own", twin["scale"], **scaled)
        if "bias" in twin:
            draw.step("bias", twin["bias"], bias=cell.bias, score=cell.dot * cell.scale + cell.bias)
        if cell.cap is not None:
            draw.step("cap", twin["cap"], cap=cell.cap)
    with right:
        draw.step("mask" if cell.may else "masked", twin["mask"], score=cell.score)


def _row(told: Any, columns: tuple[str, ...], key: int) -> None:
    cell = told.cell
    left, right = draw.spread()
    with left:
        parts = {"exponential": float(cell.exponentials[key]), "total": cell.total, "share": float(cell.shares[key])}
        draw.step("softmax", draw.proof(told.apart, "proof_share"), keys=len(columns), **parts)
    with right:
        token = words.t("inside.token")
        numbers = {
            token: numbered(columns),
            words.t("inside.score"): cell.scores,
            words.t("inside.exponential"): cell.exponentials,
            words.t("inside.share"): cell.shares,
        }
        shown = {name: list(values) if name == token else [*map(measured, values)] for name, values in numbers.items()}
        drawn.figure(core.figures.text_table(shown, marked=key), "inside.row", "softmax", numbers)


def _moved(ref: core.TraceRef, told: Any, labels: Labels) -> None:
    left, right = draw.spread()
    with left:
        size = float(np.linalg.norm(told.moved.mixed))
        apart = draw.proof(max(told.errors["values"], told.errors["mixed"]))
        draw.step("mixed", apart, width=len(told.moved.mixed), head=told.head, size=size)
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
    drawn.figure(core.figures.token_bars(labels[1], series, said), "inside.strength", "strength", numbers)


def _written(told: Any) -> None:
    moved = told.moved
    left, right = draw.spread()
    with left:
        heads = len(moved.joined) // len(moved.mixed)
        apart = draw.proof(told.errors["mixed"])
        draw.step("joined", apart, heads=heads, width=len(moved.joined), head=told.head)
        size = float(np.linalg.norm(moved.written))
        apart = draw.proof(told.errors["written"], "proof_written")
        draw.step("written", apart, width=len(moved.written), head=told.head, size=size)
    with right:
        draw.bars(moved.joined, "joined", "scores", marked=slice(moved.first, moved.first + len(moved.mixed)))
        draw.bars(moved.written, "written", "scores")
