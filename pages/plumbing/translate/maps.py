"""Every head of a translator in the map that all pages share: the encoder's, the decoder's, and those between them."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, link, words
from pages.plumbing.component import heads_map, heads_steer
from pages.plumbing.show import orders
from pages.plumbing.state import Extent, Look
from pages.plumbing.translate import controls

MAP = "translate"
SIDES = ("cross", "decoder", "encoder")
SERIAL, TOLD, TURN = "translate.serial", "translate.told", "translate.turn"


def show(ref: core.TraceRef, told: Any, rest: int) -> None:
    """Show one side's heads; on the sides of the decoder the step that is looked at is the chosen row."""
    st.subheader(words.t("translate.maps"), anchor=False)
    words.plain(words.t("translate.maps_note"), "note", "maps")
    chosen = _chosen(ref, told.moments[rest if step(told) is None else step(told)].row)
    with st.container(key="options", horizontal=True):
        _side(chosen.side or "cross")
    words.plain(words.t(f"translate.side_{chosen.side}_note"), "note", "side")
    drawn = doors.ask(ref, core.analysis.maps, side=chosen.side)
    st.session_state["translate.extent"] = Extent(
        sides=ref.sides,
        layers=len(drawn.rule_of),
        heads=drawn.maxima.shape[1],
        queries=len(drawn.rows),
        keys=len(drawn.columns),
    )
    address = doors.map_address(ref, Look(), drawn.side)
    frame = core.figures.frame(drawn, url=address, name=MAP)
    heads_map(frame, key=f"map.{MAP}", on_choice=_adopt, on_sort=_sorted, on_row=choice.touch)
    heads_steer(orders(MAP, chosen, st.session_state.get(SERIAL, 0)), key=f"steer.{MAP}")


def follow(row: int) -> None:
    """Choose the row of the step that is looked at, where the map shows the decoder's rows."""
    side, layer, heads, query, key = _read()
    if side != "encoder" and query != row:
        _write(core.Choice(side=side, layer=layer, heads=heads, query=row, key=key))
        _rise()


def step(told: Any) -> int | None:
    """Return the step that was chosen, None where none was."""
    word = controls.now("step")
    return int(word) if word and int(word) < len(told.moments) else None


def _chosen(ref: core.TraceRef, row: int) -> core.Choice:
    """Return what the map shows: what was chosen, bounded by what there is."""
    side, layer, heads, query, key = _read()
    rows, columns = (len(units) for units in _axes(ref, side))
    layers, count = doors.ask(ref, _extent, side=side)
    layer = layers - 1 if layer is None or layer >= layers else layer
    if query is None and side != "encoder":
        query = row
    return core.Choice(
        side=side,
        layer=layer,
        heads=tuple(head for head in heads if head < count),
        query=None if query is None or query >= rows else query,
        key=None if key is None or key >= columns else key,
    )


def _extent(trace: core.Trace, side: str) -> tuple[int, int]:
    looking = trace.looking(side)
    return len(trace.layers(side)), next(iter(looking.values())).shape[0]


def _axes(ref: core.TraceRef, side: str) -> tuple[Any, Any]:
    drawn = doors.ask(ref, core.analysis.maps, side=side)
    return drawn.rows, drawn.columns


def _read() -> tuple[str, int | None, tuple[int, ...], int | None, int | None]:
    """Read the option: side, layer, head, query and key; where nothing is chosen, the last layer between both sides."""
    word = controls.now("map")
    if not word:
        return "cross", None, (), None, None
    side, layer, head, *places = word.split(".")
    heads = () if head == "mean" else tuple(map(int, head.split(",")))
    query, key = (None if place == "-" else int(place) for place in places)
    return side, int(layer), heads, query, key


def _write(chosen: core.Choice) -> None:
    head = ",".join(map(str, chosen.heads)) or "mean"
    places = ["-" if place is None else str(place) for place in (chosen.query, chosen.key)]
    controls.put("map", ".".join([chosen.side or "cross", str(chosen.layer or 0), head, *places]))


def _side(now: str) -> None:
    st.session_state["field.translate.side"] = now
    named = {side: words.t(f"translate.side_{side}") for side in SIDES}
    st.segmented_control(
        words.t("translate.side"),
        named,
        key="field.translate.side",
        format_func=named.__getitem__,
        required=True,
        on_change=_sided,
    )


def _sided() -> None:
    _write(core.Choice(side=st.session_state["field.translate.side"], layer=0, heads=()))
    _rise()


def _adopt() -> None:
    """Take what the map reports; a row of the decoder is a step of writing."""
    came = st.session_state[f"map.{MAP}"].get("choice")
    found = link.reported(came, st.session_state["translate.extent"])
    if found is None:
        return
    _write(found)
    if found.side != "encoder" and found.query is not None:
        moments = st.session_state[TOLD].moments
        controls.put("step", next((number for number, one in enumerate(moments) if one.row == found.query), ""))
        st.session_state[TURN] = st.session_state.get(TURN, 0) + 1


def _sorted() -> None:
    choice.look(sort=st.session_state[f"map.{MAP}"].get("sort") is True)


def _rise() -> None:
    st.session_state[SERIAL] = st.session_state.get(SERIAL, 0) + 1
