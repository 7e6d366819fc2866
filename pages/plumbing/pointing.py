"""Where a person looks: side, layer, head and tokens by name, the same choice as on the Heads page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.sheets import numbered

WIDE = {"layer": 100, "head": 100, "side": 170}
Labels = tuple[tuple[str, ...], tuple[str, ...]]


def head(page: str, ref: core.TraceRef) -> core.Choice:
    """Show which side, layer and head is looked at, and return it."""
    side(page, ref)
    chosen = one_head(ref)
    heads = doors.ask(ref, _heads, side=chosen.side)
    _select(page, "layer", list(heads), chosen.layer)
    _select(page, "head", range(heads[chosen.layer or 0]), chosen.heads[0])
    return chosen


def side(page: str, ref: core.TraceRef) -> str | None:
    """Show which side is looked at, where there are several, and return it."""
    now = one_head(ref).side
    if len(ref.sides) > 1:
        named = {side: words.t(f"frame.{side}") for side in ref.sides}
        _select(page, "side", list(named), now, named.__getitem__)
    return now


def cell(page: str, ref: core.TraceRef, chosen: core.Choice) -> core.Choice:
    """Show which token looks and which is looked at, and return the choice with both."""
    whole = placed(ref, chosen)
    query_box(page, ref, whole)
    key_box(page, ref, whole)
    return whole


def placed(ref: core.TraceRef, chosen: core.Choice) -> core.Choice:
    """Return a choice with a token that looks and one that is looked at, both of which there are."""
    rows, columns = labels(ref, chosen.side)
    return replace(chosen, query=min(chosen.query or 0, len(rows) - 1), key=min(chosen.key or 0, len(columns) - 1))


def query_box(page: str, ref: core.TraceRef, chosen: core.Choice) -> None:
    """Show which token looks."""
    _token(page, "query", labels(ref, chosen.side)[0], chosen.query)


def key_box(page: str, ref: core.TraceRef, chosen: core.Choice) -> None:
    """Show which token is looked at."""
    _token(page, "key", labels(ref, chosen.side)[1], chosen.key)


def _token(page: str, which: str, tokens: tuple[str, ...], place: int | None) -> None:
    _select(page, which, range(len(tokens)), place, numbered(tokens).__getitem__)


def one_head(ref: core.TraceRef) -> core.Choice:
    """Return the chosen head, or the nearest one that there is; where a mean is chosen, the first it is made of."""
    chosen = choice.view().chosen
    side = chosen.side if chosen.side in ref.sides else next(iter(ref.sides), None)
    heads = doors.ask(ref, _heads, side=side)
    layer = min(heads, key=lambda number: abs(number - (chosen.layer or 0)))
    return replace(chosen, side=side, layer=layer, heads=(min((chosen.heads or (0,))[0], heads[layer] - 1),))


def where(chosen: core.Choice) -> dict[str, Any]:
    """Return where a head is, as the core's questions call it."""
    return {"layer": chosen.layer, "head": chosen.heads[0], "side": chosen.side}


def labels(ref: core.TraceRef, side: str | None) -> Labels:
    """Return the labels of the rows and of the columns of a side's maps."""
    found: Labels = doors.ask(ref, core.analysis.knobs.labels, side=side)
    return found


def rule(ref: core.TraceRef, chosen: core.Choice) -> Any:
    """Return from which to which column each row of a layer may look; None where everybody may look anywhere."""
    return doors.ask(ref, core.analysis.maps, side=chosen.side).rule_at(chosen.layer)


def _select(page: str, name: str, options: Sequence[Any], value: Any, named: Any = str) -> None:
    key = f"field.{page}.{name}"
    st.session_state[key] = value
    st.selectbox(
        words.t(f"{page}.{name}"),
        options,
        key=key,
        format_func=named,
        width=WIDE.get(name, 220),
        on_change=partial(_pointed, page),
    )


def _pointed(page: str) -> None:
    field, chosen = st.session_state, choice.view().chosen
    given = {
        name: field.get(f"field.{page}.{name}", getattr(chosen, name)) for name in ("side", "layer", "query", "key")
    }
    heads = (field.get(f"field.{page}.head", (chosen.heads or (0,))[0]),)
    choice.pick(core.Choice(heads=heads, **given))


def _heads(trace: core.Trace, side: str | None) -> dict[int, int]:
    """Return how many heads each layer of a side has, for those that have any."""
    return {number: layer.shape[0] for number, layer in enumerate(trace.layers(side)) if layer is not None}
