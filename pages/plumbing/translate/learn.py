"""Watch it learn: the same head and the same sentence along the training, beside what nobody has taught yet."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, doors, reading, words
from pages.plumbing.translate import asking, controls, draw, scene
from pages.plumbing.translate.language import Pair
from pages.plumbing.translate.saved import Story, story
from pages.plumbing.translate.scene import Scene

SIDES = ("encoder", "cross", "decoder")
LOOKS = {asking.GUIDED: "it", asking.PLAIN: "word"}


def show(model: str) -> None:
    """Show a step of the training beside step 0, and where it lies on the curves."""
    model = _model(model)
    told = story(model)
    if not told.snapshots:
        words.plain(words.t("translate.no_snapshots"), "refused", "snapshots")
        return
    asking.disclosed(model)
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        pair, which = scene.pair()
        scene.which(pair)
        at = _head(model, pair, which)
    step = controls.slide("trained", told.snapshots)
    words.plain(pair.sentence(which), "line", "sentence")
    columns = st.columns(2, gap="large")
    for column, name, number in zip(columns, ("start", "trained"), (0, step), strict=True):
        with column:
            _step(scene.scene(model, pair, which, step=number), number, at, name)
    _curves(told, step, model)


def _model(now: str) -> str:
    known = [name for name in (asking.PLAIN, asking.GUIDED) if asking.have(name)]
    known += [] if now in known else [now]
    controls.select("model", known, now, lambda: controls.put("model", controls.chosen("model")), ask.called)
    return now


def _head(model: str, pair: Pair, which: int) -> tuple[str, int, int]:
    """Show which head is looked at, and return its side, layer and number."""
    said = controls.now("head")
    side, layer, head = (
        said.split(".") if said else ("encoder", *map(str, scene.telling(model, LOOKS.get(model, "it"), pair)))
    )
    ref = doors.changed(model, pair.sentence(which))
    layers, heads = doors.ask(ref, core.analysis.writing.looks, side=side).shape[:2]
    found = side, min(int(layer), layers - 1), 0 if head == "mean" else min(int(head), heads - 1)
    named = {one: words.t(f"translate.side_{one}") for one in SIDES}
    controls.select("side", SIDES, side, _picked, named.__getitem__)
    controls.select("layer", range(layers), found[1], _picked)
    controls.select("head_of", range(heads), found[2], _picked)
    return found


def _picked() -> None:
    side, layer, head = (controls.chosen(name) for name in ("side", "layer", "head_of"))
    controls.put("head", f"{side}.{layer}.{head}")


def _step(one: Scene, step: int, at: tuple[str, int, int], key: str) -> None:
    (side, layer, head), ref = at, one.ref
    words.plain(words.t(f"translate.{key}_step", step=f"{step:,}"), "who", key)
    words.plain(one.told.text or words.t("translate.nothing"), "first", f"told-{key}")
    drawn = doors.ask(ref, core.analysis.maps, side=side)
    cells = doors.ask(ref, core.analysis.writing.looks, side=side)[layer, head]
    rule = drawn.rules[drawn.rule_of[layer]]
    axes = {"query": "looks", "key": "looked", "share": "share"}
    named = {"side": words.t(f"translate.side_{side}"), "layer": layer, "head": head}
    words.plain(words.t("translate.title_step", **named), "note", f"title-{key}")
    said = draw.say("title_step", axes, **named)
    chart = core.figures.heatmap(cells, drawn.rows.labels, drawn.columns.labels, said, rule=rule)
    chart.update_layout(title={"text": ""})
    if side == scene.ENCODER:
        _noun(one, LOOKS.get(one.model, "it"), layer, head, key)
    draw.figure(chart, f"step-{key}", draw.grid(drawn.rows.labels, drawn.columns.labels, cells))


def _noun(one: Scene, looks: str, layer: int, head: int, key: str) -> None:
    """Say what the word that looks gives to both nouns."""
    shares = one.shares(layer, head, looks)
    told = {name: one.label(name) for name in ("meant", "other")}
    given = {f"{name}_share": reading.share(float(shares[one.place(name)])) for name in ("meant", "other")}
    where = {"layer": layer, "head": head, "token": one.label(looks)}
    words.plain(words.t("translate.gives", **where, **told, **given), "line", f"gives-{key}")


def _curves(told: Story, step: int, model: str) -> None:
    left, right = st.columns(2, gap="large")
    steps, loss = told.loss
    with left:
        _curve("loss", steps, {words.t("translate.loss"): loss}, step, told)
    looks = {"it": "it", "word": "adjective"}[LOOKS.get(model, "it")]
    found = told.telling(looks)
    with right:
        if found is not None and told.find("along"):
            _along(told, looks, found, step)


def _along(told: Story, looks: str, at: tuple[int, int], step: int) -> None:
    steps, meant, other = told.along(looks, *at)
    series = {words.t("translate.to_meant"): meant, words.t("translate.to_other"): other}
    said = {"layer": at[0], "head": at[1], "looks": words.t(f"translate.looks_{looks}")}
    _curve("along", steps, series, step, told, **said)
    words.plain(words.t("translate.along_note", **said), "note", "along")


def _curve(name: str, steps: list[int], series: dict[str, Any], step: int, told: Story, **values: Any) -> None:
    axes = {"x": "trained", "y": "loss" if name == "loss" else "share"}
    said = draw.say(f"title_{name}", axes, **values) | {"mark": words.t("translate.mark", step=f"{step:,}")}
    draw.figure(
        core.figures.curves(steps, series, said, mark=step),
        name,
        {words.t("translate.trained"): steps, **series},
        draw.TRAINING,
    )
    if name == "loss":
        words.plain(words.t("translate.loss_note", command=told.command, floor=told.floor or "–"), "note", "loss")
