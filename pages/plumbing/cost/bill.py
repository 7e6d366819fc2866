"""What is asked of the bill: which published model, on which chip, how long a text, how many at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any

import streamlit as st

import core
from pages.plumbing import fields, tables, words

cost = core.cost
say = partial(fields.say, "cost")
PLACES = {"chat": 2000, "thinking": 32_000, "log": 200_000, "repository": 1_000_000}
BITS = 8


def models() -> Mapping[str, Any]:
    """Return the published models by name."""
    return {one.name: one for one in cost.published()}


def chips() -> Mapping[str, Any]:
    """Return the published chips by name, and the machines that were measured."""
    return {one.name: one for one in (*cost.chips(), *_measured())}


def _measured() -> list[Any]:
    """Return the machines of saved runs as chips: what products of matrices reached on them, and what was read."""
    found = {name: run.machine for name, run in core.measure.saved().items()}
    return [
        cost.Chip(
            name=name,
            title=words.t("cost.machine", name=one.name if one.device == "cpu" else one.device),
            format="float32",
            operations=one.operations,
            bandwidth=one.read,
            memory=inf,
            source=words.t("cost.machine_source", date=one.date),
            measured=True,
        )
        for name, one in found.items()
        if one.operations and one.read
    ]


def model() -> Any:
    """Show the published models to choose one from, and return it."""
    known = models()
    return known[fields.choose("cost.model", tuple(known), lambda name: known[name].title, 200)]


def chip() -> Any:
    """Show the chips to choose one from, and return it."""
    return _one_of(chips())


def card() -> Any:
    """Show those whose memory is published to choose one from, and return it."""
    return _one_of({name: one for name, one in chips().items() if not one.measured})


def _one_of(known: Mapping[str, Any]) -> Any:
    return known[fields.choose("cost.chip", tuple(known), lambda name: known[name].title)]


def length() -> int:
    """Show how long a text is, with some usual lengths by name, and return it."""
    with st.container(key="lengths", horizontal=True, gap="medium", vertical_alignment="bottom"):
        fields.count("cost.length")
        fields.shortcuts("cost.length", PLACES)
    return fields.number("cost.length")


def load(*, batch: bool = True) -> Any:
    """Show how many texts go at once, and in how many bits numbers are kept, and return both."""
    if batch:
        fields.count("cost.batch")
    for name in ("weight", "kept"):
        fields.pick(f"cost.{name}")
    return now(batch=fields.number("cost.batch") if batch else 1)


def now(batch: int) -> Any:
    """Return how a model is run, as the options say it."""
    weight, kept = (fields.number(f"cost.{name}") / BITS for name in ("weight", "kept"))
    return cost.Load(batch=batch, weight=weight, kept=kept)


def beyond(one: Any, length: int) -> None:
    """Say so where a text is longer than what a model was published for."""
    if one.positions and length > one.positions:
        told = {"name": one.title, "length": f"{length:,}", "most": f"{one.positions:,}"}
        words.plain(words.t("cost.beyond", **told), "note", "beyond")


def where(stated: Mapping[str, str]) -> None:
    """Show line by line, when somebody unfolds it, where the numbers of each name were read."""
    lines = "\n".join(f"{name}: {said}" for name, said in stated.items())
    tables.unfolded("cost.where", partial(words.plain, lines, "note", "where"))
