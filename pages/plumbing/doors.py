"""The one door between pages and the engine: pages hold a TraceRef and ask it questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

import core
from pages.plumbing import link, visits
from pages.plumbing.state import Asked, Extent, Look

UPLOADED = "uploaded"

_served: list[str] = []


@st.cache_resource(show_spinner=False)
def engine() -> core.engine.Engine:
    """Return the engine that this process asks."""
    return core.engine.begin()


def serve_maps_at(path: str) -> None:
    """Tell that the launcher hands out single maps under `/<path>/<key>`, so that big ones need not be in the page."""
    _served[:] = [path.strip("/")]


def trace(asked: Asked) -> core.TraceRef:
    """Run the model once on a new sentence, and return a reference to what it left."""
    return _traced(core.engine.Request(model=asked.model, text=asked.text, pair=asked.pair))


def changed(model: str, text: str, changes: tuple[Any, ...] = (), *, step: int | None = None) -> core.TraceRef:
    """Run a model on a text as it was at a step of its training, or with something altered in it: then an
    encoder-decoder writes another answer."""
    return _traced(core.engine.Request(model=model, text=text, changes=changes, step=step, own=True))


def beside(ref: core.TraceRef, changes: tuple[Any, ...]) -> core.TraceRef:
    """Run a trace's text again with something altered, over the same answer, so that every map has the same places."""
    return _traced(replace(ref.request, changes=changes, own=False))


def _traced(request: core.engine.Request) -> core.TraceRef:
    ref = engine().trace(request)
    visits.note(trace=ref.key)
    return ref


def read(model: str, text: str) -> core.Sample:
    """Return what a model would be given, without running it."""
    return engine().read(core.engine.Request(model=model, text=text))


def ask(ref: core.TraceRef, function: Callable[..., Any], **arguments: Any) -> Any:
    """Ask a question of core.analysis where the trace lives."""
    return engine().ask(ref, function, **arguments)


def extent(ref: core.TraceRef) -> Extent:
    """Return how far a choice may reach in a trace."""
    found = ask(ref, _extents)
    each = tuple(Extent(sides=tuple(found), **one) for one in found.values())
    return replace(each[0], each=each)


def notes(ref: core.TraceRef) -> tuple[Any, ...]:
    """Return what a person should know about the reading of the text."""
    notes: tuple[Any, ...] = ask(ref, _notes)
    return notes


def report(model: str) -> core.LoadReport:
    """Return how a model was loaded; loads it if nobody has yet."""
    return engine().report(model)


def models() -> tuple[str, ...]:
    """Return the models that can be picked: the catalogue's, the folders under the operator's models root, and what
    this visit brought along."""
    mine = uploaded()
    folders = core.own_folders(engine().settings.models_root)
    return (*(entry.name for entry in core.catalog()), *folders, *((mine,) if mine else ()))


def usual() -> str:
    """Return the model that a visit begins with: the first of the catalogue whose files are here."""
    return next((entry.name for entry in core.catalog()), Asked().model)


def refusal(model: str) -> core.CoreError | None:
    """Return why a model would not open, None where nothing speaks against it."""
    found = _needed(model, str(engine().settings.models_root))
    return None if isinstance(found, int) else found


def needed(model: str) -> int | None:
    """Return the bytes of memory that a model takes once it is opened, None for one that does not open."""
    found = _needed(model, str(engine().settings.models_root))
    return found if isinstance(found, int) else None


@st.cache_data(ttl=60, max_entries=1000, show_spinner=False)
def _needed(model: str, root: str) -> int | core.CoreError:  # noqa: ARG001  the root belongs to the cache's key
    try:
        return core.needed(model, engine().settings)
    except core.CoreError as refused:
        return refused


def uploaded() -> str | None:
    """Return the name of the folder that this visit brought along and that is still held."""
    name: str | None = st.session_state.get(UPLOADED)
    return name if name is not None and not engine().gone(name) else None


def gone(model: str) -> bool:
    """Tell whether a model was brought along and is deleted."""
    return engine().gone(model)


def map_address(ref: core.TraceRef, look: Look, side: str) -> str | None:
    """Return where the browser may fetch one map of this trace, or None if nobody serves it."""
    if not _served:
        return None
    return f"/{_served[0]}/{ref.key}?" + urlencode({"units": look.units, "special": look.special, "side": side})


def head_bytes(key: str, params: Mapping[str, str]) -> tuple[bytes, str] | None:
    """Answer the launcher's route: one map, one exact row or column of it, or one cell in every head; None if there is
    no such trace.

    Raises:
        ValueError: parameters that cannot be read.
    """
    ref = engine().ref(key)
    if ref is None:
        return None
    drawn = {"units": _one_of("units", params), "special": _one_of("special", params)}
    side = params.get("side") or None
    if "query" in params:
        return core.figures.map_bytes(
            ask(ref, _cell, query=_number(params, "query"), key=_number(params, "key"), side=side, **drawn)
        )
    layer = None if params.get("layer") == "mean" else _number(params, "layer")
    heads = link.heads_of(params.get("heads"), 10_000)
    if heads is None:
        raise ValueError("heads")
    choice = core.Choice(side=side, layer=layer, heads=heads)
    for name, line in (("row", core.analysis.one_row), ("column", core.analysis.one_column)):
        if name in params:
            return core.figures.line_bytes(ask(ref, line, choice=choice, **{name: _number(params, name)}, **drawn))
    return core.figures.map_bytes(ask(ref, core.analysis.one_map, choice=choice, **drawn))


def _one_of(name: str, params: Mapping[str, str]) -> str:
    word = params.get(name, link.LOOKS[name][0])
    if word not in link.LOOKS[name]:
        raise ValueError(name)
    return word


def _number(params: Mapping[str, str], name: str) -> int:
    word = params.get(name, "")
    if not (word.isascii() and word.isdecimal() and len(word) <= 6):
        raise ValueError(name)
    return int(word)


def _extents(trace: core.Trace) -> dict[str, dict[str, int]]:
    trace.layers(next(iter(trace.sides), None))
    return {side: _extent(trace, side) for side in trace.sides}


def _extent(trace: core.Trace, side: str) -> dict[str, int]:
    looking = trace.looking(side)
    layers, (heads, queries, keys) = len(trace.layers(side)), next(iter(looking.values())).shape
    middle = next((layer for layer in looking if layer >= layers // 2), min(looking))
    return {
        "layers": layers,
        "heads": heads,
        "queries": queries,
        "keys": keys,
        "middle": middle,
    }


def _cell(trace: core.Trace, query: int, key: int, side: str | None, units: str, special: str) -> np.ndarray:
    rows, columns = core.analysis.axes(trace, side, units, special)
    if query >= len(rows) or key >= len(columns):
        raise ValueError((query, key))
    found: np.ndarray = core.analysis.cell(trace, rows.members[query][0], columns.members[key][0], side, units, special)
    return found


def _notes(trace: core.Trace) -> tuple[Any, ...]:
    return trace.sample.notes
