"""Draws the page: its heading, the map with what steers it, the reading beside it, and what stands below."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, choice, doors, options, reading, riding, samples, senders, tables, words
from pages.plumbing.component import heads_map, heads_steer

MAP = "heads"


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
    senders.show(ref, drawn)
    tables.unfolded("heads.went_in", lambda: tables.pieces(ref))
    if not blank:
        tables.unfolded("heads.keep", lambda: tables.figure(ref, drawn))
    tables.unfolded("heads.report", lambda: tables.report(ref.request.model))
    choice.publish()


def _map(ref: core.TraceRef, drawn: Any) -> None:
    address = doors.map_address(ref, choice.view().look, drawn.side)
    along = None if address else riding.exact_map(ref, drawn)
    rows = [] if address else riding.exact_rows(ref, drawn, st.session_state.get("row"))
    heads_map(
        core.figures.frame(drawn, url=address, chosen=along, name=MAP, **_drawing()),
        key=f"map.{MAP}",
        on_choice=_chosen,
        on_sort=_sorted,
        on_row=_pointed,
    )
    heads_steer({**orders(MAP, choice.view().chosen, 0), "rows": rows}, key=f"steer.{MAP}")


def _read(ref: core.TraceRef, drawn: Any) -> None:
    chosen = choice.view().chosen
    focus = doors.ask(ref, core.analysis.focus, choice=chosen, **_drawing())
    name = reading.naming(drawn, words.quoted)
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


def _small_print(ref: core.TraceRef, drawn: Any, said: tuple[str, ...]) -> list[str]:
    """Return what must be said about the numbers and the names: keys of messages."""
    look = choice.view().look
    derived = look.units != "pieces" or (look.special == "renormalise" and _marked(ref))
    notes = ["opened_note"] if _measured() else []
    notes += ["derived_note" if derived else "table_note"]
    notes += ["hyphen_note"] if look.units == "pieces" and "continuation" in drawn.rows.kinds else []
    return notes + (["alike_note"] if any(digit in line for line in said for digit in reading.SMALL) else [])


def _measured() -> bool:
    """Tell whether what is shown is what a sentence that is no example opened with."""
    now = choice.view()
    opened = now.begin is not None and now.begin.key is not None and now.choice == now.begin
    return opened and samples.opening_of(now.asked) is None


def _marked(ref: core.TraceRef) -> bool:
    """Tell whether special tokens went in."""
    return any(piece.kind == "special" for piece in doors.ask(ref, core.analysis.pieces))


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


def _said(what: str) -> object:
    return st.session_state[f"map.{MAP}"].get(what)


def _chosen() -> None:
    choice.adopt(_said("choice"), st.session_state["extent"])


def _sorted() -> None:
    choice.look(sort=_said("sort") is True)


def _pointed() -> None:
    st.session_state["row"] = _said("row")
    choice.touch()


def orders(name: str, chosen: core.Choice, serial: int) -> dict[str, Any]:
    """Return what a map is told from outside: what is chosen, how it is drawn, and its words; a risen `serial` says
    that the choice was changed here and not in the map."""
    look = choice.view().look
    return {
        "map": name,
        "serial": serial + choice.serial(),
        "choice": {
            "side": chosen.side,
            "layer": chosen.layer,
            "heads": list(chosen.heads),
            "query": chosen.query,
            "key": chosen.key,
        },
        "scale": look.scale,
        "palette": look.palette,
        "sort": look.sort,
        "words": words.section("map"),
    }
