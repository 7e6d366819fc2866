"""Draws the page: its heading, the map with what steers it, the reading beside it, and the heads that send a token."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import ask, choice, doors, options, reading, tables, words
from pages.plumbing.component import heads_map, heads_steer

MAP = "heads"
EXACT = 512 * 512


def heading(page: str) -> None:
    """Show the question that a page answers, and in a sentence or two what it is."""
    with st.container(key="heading"):
        st.title(words.t(f"{page}.question"), anchor=False)
        st.markdown(words.t(f"{page}.lead"))


@st.fragment
def picture(ref: core.TraceRef) -> None:
    """Show everything that depends on the choice; a new choice reruns this and nothing else."""
    st.session_state["extent"] = doors.extent(ref)
    options.row(ref.sides, _marked(ref))
    drawn = doors.ask(ref, core.analysis.maps, side=choice.view().chosen.side, **_drawing())
    if "byte" in drawn.rows.kinds and choice.view().look.units == "pieces":
        words.plain(words.t("heads.bytes_note"), "note", "bytes")
    left, right = st.columns([3, 1], gap="large")
    with left:
        _map(ref, drawn)
    blank = drawn.blank(choice.view().chosen.layer)
    with right:
        (_nothing if blank else _read)(ref, drawn)
        ask.look_for()
    _senders(ref, drawn)
    tables.unfolded("heads.went_in", lambda: tables.pieces(ref))
    if not blank:
        tables.unfolded("heads.keep", lambda: tables.figure(ref, drawn))
    tables.unfolded("heads.report", lambda: tables.report(ref.request.model))
    choice.publish()


def _map(ref: core.TraceRef, drawn: Any) -> None:
    address = doors.map_address(ref, choice.view().look, drawn.side)
    riding = None if address else _riding(ref, drawn)
    heads_map(
        core.figures.frame(drawn, url=address, chosen=riding, name=MAP, **_drawing()),
        key=f"map.{MAP}",
        on_choice=_chosen,
    )
    heads_steer(_steer(), key=f"steer.{MAP}")


def _read(ref: core.TraceRef, drawn: Any) -> None:
    chosen = choice.view().chosen
    focus = doors.ask(ref, core.analysis.focus, choice=chosen, **_drawing())
    name = _naming(drawn)
    said = reading.lines(
        focus,
        _reach(drawn, focus, chosen),
        choice.view().look.special,
        lambda one: name(one.label, one.position),
        words.t,
    )
    with st.container(key="reading"):
        words.plain(reading.who(chosen, words.t), "who", "head")
        for number, line in enumerate(said):
            words.plain(line, "line" if number else "first", str(number))
        for number, note in enumerate(_small_print(ref, drawn, said)):
            words.plain(words.t(f"heads.{note}"), "note", f"small-{number}")


def _nothing(ref: core.TraceRef, drawn: Any) -> None:
    """Say why the chosen layer has no map, and which layers have one."""
    looking = ", ".join(str(layer) for layer in range(len(drawn.rule_of)) if not drawn.blank(layer))
    refused = core.CoreError("no_pattern", name=ref.request.model, came=choice.view().chosen.layer, allowed=looking)
    with st.container(key="reading"):
        words.plain(words.error(refused), "first", "0")


def _naming(drawn: Any) -> Callable[[str, int], str]:
    """Return what names a token of this picture by its label and position."""
    alike = reading.repeated(drawn.rows.labels, drawn.columns.labels)
    return partial(reading.named, alike=alike, quoted=words.quoted)


def _small_print(ref: core.TraceRef, drawn: Any, said: tuple[str, ...]) -> list[str]:
    """Return what must be said about the numbers and the names: keys of messages."""
    look = choice.view().look
    derived = look.units != "pieces" or (look.special == "renormalise" and _marked(ref))
    notes = ["derived_note" if derived else "table_note"]
    notes += ["hyphen_note"] if look.units == "pieces" and "continuation" in drawn.rows.kinds else []
    return notes + (["alike_note"] if any(digit in line for line in said for digit in reading.SMALL) else [])


def _marked(ref: core.TraceRef) -> bool:
    """Tell whether special tokens went in."""
    return any(piece.kind == "special" for piece in doors.ask(ref, core.analysis.pieces))


def _senders(ref: core.TraceRef, drawn: Any) -> None:
    chosen = choice.view().chosen
    st.subheader(words.t("heads.senders"), anchor=False)
    if chosen.query is None or chosen.key is None:
        words.plain(words.t("heads.senders_hint"), "note", "senders")
        return
    pair = {"query": chosen.query, "key": chosen.key}
    try:
        best = doors.ask(ref, core.analysis.senders, side=chosen.side, **pair, **_drawing())
    except core.CoreError:
        words.plain(words.t("heads.senders_hidden"), "note", "senders")
        return
    query, key, name = drawn.rows.at(chosen.query), drawn.columns.at(chosen.key), _naming(drawn)
    labels = {
        "query": name(drawn.rows.labels[query], drawn.rows.members[query][0]),
        "other": name(drawn.columns.labels[key], drawn.columns.members[key][0]),
    }
    words.plain(words.t("heads.senders_note", **labels), "note", "senders")
    with st.container(key="senders", horizontal=True, gap="small"):
        for sender in best:
            _sender(sender, chosen)
    options.sort()


def _sender(sender: Any, chosen: core.Choice) -> None:
    here = (sender.layer, (sender.head,)) == (chosen.layer, chosen.heads)
    there = core.Choice(side=chosen.side, layer=sender.layer, heads=(sender.head,), query=chosen.query, key=chosen.key)
    st.button(
        words.t("heads.sender", layer=sender.layer, head=sender.head, share=reading.share(sender.share)),
        key=f"sender.{sender.layer}.{sender.head}",
        type="primary" if here else "secondary",
        on_click=choice.pick,
        args=(there,),
    )


def _drawing() -> dict[str, str]:
    look = choice.view().look
    return {"units": look.units, "special": look.special}


def _reach(drawn: Any, focus: Any, chosen: core.Choice) -> reading.Reach:
    rule = drawn.rule_at(chosen.layer)
    if focus is None or rule is None:
        return reading.Reach(count=len(drawn.columns), back_only=False)
    begin, end = rule[focus.unit]
    last = drawn.rows.members[focus.unit][-1] == drawn.rows.length - 1
    return reading.Reach(count=end - begin, back_only=end == focus.unit + 1, last=last)


def _chosen() -> None:
    choice.adopt(st.session_state[f"map.{MAP}"].get("choice"), st.session_state["extent"])


def _riding(ref: core.TraceRef, drawn: Any) -> tuple[dict[str, Any], bytes] | None:
    """Return the exact map of the present choice, for a page whose maps nobody hands out one by one."""
    chosen, exact = choice.view().chosen, drawn.full and drawn.cells.dtype == np.float32
    if exact or drawn.blank(chosen.layer) or len(drawn.rows) * len(drawn.columns) > EXACT:
        return None
    told = {"layer": chosen.layer, "heads": list(chosen.heads)}
    found = doors.ask(ref, core.analysis.one_map, choice=chosen, **_drawing()).tobytes()
    if chosen.query is None or chosen.key is None:
        return told, found
    pair = {"query": chosen.query, "key": chosen.key}
    cells = doors.ask(ref, core.analysis.cell, side=chosen.side, **pair, **_drawing())
    return {**told, **pair}, found + cells.tobytes()


def _steer() -> dict[str, Any]:
    now = choice.view()
    chosen = now.chosen
    return {
        "map": MAP,
        "serial": choice.serial(),
        "choice": {
            "side": chosen.side,
            "layer": chosen.layer,
            "heads": list(chosen.heads),
            "query": chosen.query,
            "key": chosen.key,
        },
        "scale": now.look.scale,
        "palette": now.look.palette,
        "sort": now.look.sort,
        "words": words.section("map"),
    }
