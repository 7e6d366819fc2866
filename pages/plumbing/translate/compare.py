"""Side by side: one word changes, and both models; where does each look to find out what "it" means?"""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, doors, reading, words
from pages.plumbing.translate import asking, draw, saved, scene
from pages.plumbing.translate.language import Pair
from pages.plumbing.translate.scene import Scene

LOOKS = ("it", "word")


def show(_: str) -> None:
    """Show the pair in every model that is here."""
    with st.container(key="options", horizontal=True):
        pair, _which = scene.pair()
    models = [name for name in (asking.PLAIN, asking.GUIDED) if asking.have(name)]
    scene.missing(asking.PLAIN, asking.GUIDED)
    for model in models:
        _model(model, pair)


def _model(model: str, pair: Pair) -> None:
    words.plain(ask.called(model), "title", model)
    asking.disclosed(model)
    words.plain(words.t("translate.how_plain" if model == asking.PLAIN else "translate.how_guided"), "line", model)
    _measured(saved.story(model), model)
    both = [scene.scene(model, pair, which) for which in (0, 1)]
    heads = {looks: scene.telling(model, looks, pair) for looks in LOOKS}
    step = scene.parting(both[0].told, both[1].told)
    for column, one in zip(st.columns(2, gap="large"), both, strict=True):
        with column:
            _sentence(one, step, heads)


def _measured(told: saved.Story, model: str) -> None:
    """Say what was measured over many sentences, not only over these two."""
    preferred = {"it": told.preferred("it"), "word": told.preferred("adjective")}
    if None not in preferred.values():
        shares = {name: f"{share:.1%}" for name, share in preferred.items()}
        count = told.find("measured", "heads", "sentences")
        words.plain(words.t("translate.measured", count=count, **shares), "note", f"measured-{model}")


def _sentence(one: Scene, step: int | None, heads: dict[str, tuple[int, int]]) -> None:
    key = f"{one.model}-{one.labels[one.place('word')]}"
    words.plain(one.ref.request.text, "note", f"source-{key}")
    words.plain(one.told.text, "first", f"target-{key}")
    if step is not None and step < len(one.told.moments):
        _parting(one, step, key)
    series = {}
    for looks, (layer, head) in heads.items():
        shares = one.shares(layer, head, looks)
        values = {"layer": layer, "head": head, "token": one.label(looks)}
        series[words.t("translate.from_token", **values)] = shares
        told = {name: one.label(name) for name in ("meant", "other")}
        given = {f"{name}_share": reading.share(float(shares[one.place(name)])) for name in ("meant", "other")}
        words.plain(words.t("translate.gives", **values, **told, **given), "line", f"{looks}-{key}")
    said = draw.say("title_rows", {"x": "token", "y": "share"})
    draw.figure(core.figures.grouped_bars(one.labels, series, said), f"rows-{key}", draw.tokens(one.labels, series))


def _parting(one: Scene, step: int, key: str) -> None:
    moment = one.told.moments[step]
    likely = reading.listed([_chance(found) for found in moment.best[:2]], words.t)
    cross = doors.ask(one.ref, core.analysis.writing.looks, side="cross")[-1, :, moment.row].mean(axis=0)
    order = (-cross).argsort()[:2]
    seen = [
        words.t("heads.share_of", token=words.quoted(one.labels[at]), share=reading.share(float(cross[at])))
        for at in order
    ]
    told = {"token": words.quoted(moment.written.label), "likely": likely, "seen": reading.listed(seen, words.t)}
    words.plain(words.t("translate.parting", **told), "line", f"parting-{key}")


def _chance(found: Any) -> str:
    return words.t("heads.share_of", token=words.quoted(found.label), share=reading.share(found.probability))
