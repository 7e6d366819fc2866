"""What a person can set on the Inside page: the head, the two tokens, and the options that only this page has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, extras, words


def now(name: str) -> str:
    """Return an option of this page as its word."""
    return choice.extra(f"inside.{name}")


def pick(name: str, *, label: bool = True) -> None:
    """Show an option that is one of some words as a row of buttons."""
    option = f"inside.{name}"
    named = {word: words.t(f"inside.{name}_{word}") for word in extras.EXTRAS[option].words}
    st.session_state[f"field.{option}"] = now(name)
    st.segmented_control(
        words.t(option),
        named,
        key=f"field.{option}",
        format_func=named.__getitem__,
        label_visibility="visible" if label else "collapsed",
        required=True,
        on_change=lambda: choice.set_extra(option, st.session_state[f"field.{option}"]),
    )


def head(ref: core.TraceRef) -> core.Choice:
    """Show which side, layer and head is looked at, the same as on the other pages, and return it."""
    side(ref)
    chosen = one_head(ref)
    heads = doors.ask(ref, _heads, side=chosen.side)
    _select("layer", list(heads), chosen.layer)
    _select("head", range(heads[chosen.layer or 0]), chosen.heads[0])
    return chosen


def side(ref: core.TraceRef) -> str | None:
    """Show which side is looked at, where there are several, and return it."""
    now = one_head(ref).side
    if len(ref.sides) > 1:
        named = {side: words.t(f"frame.{side}") for side in ref.sides}
        _select("side", list(named), now, named.__getitem__)
    return now


def cell(ref: core.TraceRef, chosen: core.Choice, *, key: bool = True) -> core.Choice:
    """Show which token looks and which is looked at, and return the choice with both."""
    rows, columns = labels(ref, chosen.side)
    whole = replace(chosen, query=_place(chosen.query, len(rows)), key=_place(chosen.key, len(columns)))
    _select("query", range(len(rows)), whole.query, numbered(rows).__getitem__)
    if key:
        _select("key", range(len(columns)), whole.key, numbered(columns).__getitem__)
    return whole


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


def labels(ref: core.TraceRef, side: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of the rows and of the columns of a side's maps."""
    found: tuple[tuple[str, ...], tuple[str, ...]] = doors.ask(ref, core.analysis.knobs.labels, side=side)
    return found


def numbered(labels: Sequence[str]) -> list[str]:
    """Return tokens with their places, so that no two are alike."""
    return [f"{place}  {label}" for place, label in enumerate(labels)]


def rule(ref: core.TraceRef, chosen: core.Choice) -> Any:
    """Return from which to which column each row of a layer may look; None where everybody may look anywhere."""
    drawn = doors.ask(ref, core.analysis.maps, side=chosen.side)
    return drawn.rules[drawn.rule_of[chosen.layer or 0]]


def say(title: str, axes: Mapping[str, str], **values: Any) -> dict[str, str]:
    """Return the words of a figure: its title, and the name of whatever else it names by a message of this page."""
    named = {name: words.t(f"inside.{key}") for name, key in axes.items()}
    return {"title": words.t(f"inside.{title}", **values), **named}


def _select(name: str, options: Sequence[Any], value: Any, named: Any = str) -> None:
    key = f"field.inside.{name}"
    st.session_state[key] = value
    st.selectbox(words.t(f"inside.{name}"), options, key=key, format_func=named, width=_wide(name), on_change=_headed)


def _wide(name: str) -> int:
    return {"layer": 100, "head": 100, "side": 170}.get(name, 220)


def _headed() -> None:
    field, chosen = st.session_state, choice.view().chosen
    given = {
        name: field.get(f"field.inside.{name}", getattr(chosen, name)) for name in ("side", "layer", "query", "key")
    }
    heads = (field.get("field.inside.head", (chosen.heads or (0,))[0]),)
    choice.pick(core.Choice(heads=heads, **given))


def _heads(trace: core.Trace, side: str | None) -> dict[int, int]:
    """Return how many heads each layer of a side has, for those that have any."""
    return {number: layer.shape[0] for number, layer in enumerate(trace.layers(side)) if layer is not None}


def _place(place: int | None, count: int) -> int:
    return min(place or 0, count - 1)
