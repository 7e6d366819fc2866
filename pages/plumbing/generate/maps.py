"""The rows that writing added to every head's map, in the map that all pages share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, drawn, link, words
from pages.plumbing.component import heads_map, heads_steer
from pages.plumbing.generate import controls, stitch
from pages.plumbing.generate.run import Run
from pages.plumbing.sheets import grid
from pages.plumbing.show import orders
from pages.plumbing.state import Extent

MAP = "generate"
EXTENT, SERIAL, FIRST = "generate.extent", "generate.serial", "generate.first_row"


def show(run: Run, labels: dict[str, tuple[str, ...]], step: int) -> None:
    """Show every head of one side; the row that a step added is the chosen one.

    `labels` are the tokens of the "decoder" and of what it reads ("cross"); a step belongs to the row before it.
    """
    side = pick(stitch.sides(run.steps))
    cells = core.stitched(run.steps, side)
    rows = labels["decoder"][: cells.shape[2]]
    first = len(rows) - len(run.steps)
    words.plain(words.t("generate.row_note", token=words.quoted(rows[first + step])), "line", "row")
    st.session_state[FIRST] = first
    draw(cells, side, rows, labels[side][: cells.shape[3]], first + step)


def draw(cells: Any, side: str, rows: Sequence[str], columns: Sequence[str], query: int | None) -> None:
    """Draw every head of a side [layer, head, query, key], NaN where nothing was computed; `query` is chosen."""
    found = stitch.maps(cells, side, rows, columns)
    chosen = _chosen(found, side, query)
    st.session_state[EXTENT] = Extent(
        sides=(side,), layers=len(found.rule_of), heads=cells.shape[1], queries=len(rows), keys=len(columns)
    )
    along = None if found.full else stitch.exact(cells, chosen, chosen.key)
    frame = core.figures.frame(found, chosen=along, name=MAP)
    heads_map(frame, key=f"map.{MAP}", on_choice=_adopt, on_sort=_sorted, on_row=choice.touch)
    heads_steer(orders(MAP, chosen, st.session_state.get(SERIAL, 0)), key=f"steer.{MAP}")
    one = cells[chosen.layer or 0]
    exact = one[list(chosen.heads)].mean(axis=0) if chosen.heads else one.mean(axis=0)
    drawn.under("generate.map", "map", grid(words.t("generate.query"), list(rows), list(columns), exact))


def wished(sides: tuple[str, ...]) -> str:
    """Return which of these sides is looked at: the one of the address, else the last; "" where there is none."""
    now = controls.now("map").split(".")[0]
    return now if now in sides else "".join(sides[-1:])


def pick(sides: tuple[str, ...]) -> str:
    """Show which side is looked at, where there are several, and return it."""
    now = wished(sides)
    if len(sides) > 1:
        named = {side: words.t(f"generate.side_{side}") for side in sides}
        st.session_state["field.generate.side"] = now
        st.segmented_control(
            words.t("generate.side"),
            named,
            key="field.generate.side",
            format_func=named.__getitem__,
            required=True,
            on_change=_sided,
        )
    return now


def _chosen(found: Any, side: str, query: int | None) -> core.Choice:
    """Return the head of the option, bounded by what there is, and the row of the step."""
    layers, heads = found.maxima.shape
    there = [number for number in range(layers) if not found.blank(number)] or [0]
    word = controls.now("map").split(".")
    layer = int(word[1]) if len(word) > 1 else there[len(there) // 2]
    said = link.heads_of(word[2], heads) if len(word) > 2 else (0,)
    layer = min(there, key=lambda number: abs(number - layer))
    return core.Choice(side=side, layer=layer, heads=(0,) if said is None else said, query=query, key=None)


def _adopt() -> None:
    """Take what the map reports; a row that a step added is that step."""
    came = st.session_state[f"map.{MAP}"].get("choice")
    found = link.reported(came, st.session_state[EXTENT])
    if found is None:
        return
    heads = ",".join(map(str, found.heads)) or "mean"
    controls.put("map", f"{found.side}.{found.layer or 0}.{heads}")
    first = st.session_state[FIRST]
    if first is not None and found.query is not None and found.query >= first:
        controls.put("step", found.query - first)


def _sided() -> None:
    controls.put("map", f"{controls.chosen('side')}.0.mean")
    st.session_state[SERIAL] = st.session_state.get(SERIAL, 0) + 1


def _sorted() -> None:
    choice.look(sort=st.session_state[f"map.{MAP}"].get("sort") is True)


def rise() -> None:
    """Let the map follow what was chosen elsewhere."""
    st.session_state[SERIAL] = st.session_state.get(SERIAL, 0) + 1
