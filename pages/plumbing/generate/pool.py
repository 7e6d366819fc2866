"""The pool of blocks at one event: whose each block is, the tables, and the tree of beginnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import drawn, words
from pages.plumbing.generate import controls

figures = core.figures
FREE, KEPT = -1, -2
BRANCH = 150
LEAVING = ("evicted", "preempted", "freed")


def show(found: Any) -> None:
    """Show one event after another."""
    st.subheader(words.t("generate.events_title"), anchor=False)
    number = controls.along("event", len(found.events) - 1)
    with st.container(key="moves", horizontal=True, gap="small", vertical_alignment="center"):
        last = len(found.events) - 1
        st.button("‹", key="generate.event_back", disabled=number == 0, on_click=_move, args=(number - 1,))
        st.button("›", key="generate.event_on", disabled=number == last, on_click=_move, args=(number + 1,))
        words.plain(_said(found, found.events[number], number), "line", "event")
    event = found.events[number]
    _blocks(found, event)
    _tables(event)
    _tree(found, event)
    drawn.under("generate.events", "events", _sheet(found))


def _move(number: int) -> None:
    controls.put("event", number)


def _said(found: Any, event: Any, number: int) -> str:
    """Say what happened."""
    request = None if event.request is None else found.requests[event.request]
    values = {
        "request": "" if event.request is None else event.request + 1,
        "tokens": event.tokens,
        "blocks": ", ".join(map(str, event.blocks)),
        "token": _written(found, request, event, number) if event.kind == "wrote" else "",
    }
    kind = f"{event.kind}_none" if event.kind in LEAVING and not event.blocks else event.kind
    told = words.t(f"generate.event_{kind}", **values)
    return words.t("generate.event_of", number=number, last=len(found.events) - 1, round=event.round, told=told)


def _written(found: Any, request: Any, event: Any, number: int) -> str:
    """Return the piece that a request wrote at an event: as many as it wrote before come first."""
    same = [one for one in found.events[: number + 1] if one.kind == "wrote" and one.request == event.request]
    labels = request.written_labels
    return words.quoted(labels[min(len(same), len(labels)) - 1])


def _blocks(found: Any, event: Any) -> None:
    pool = event.pool
    owners = np.full(found.blocks, FREE)
    owners[pool.holders > 0] = KEPT
    users: dict[int, list[int]] = {}
    for number, table, _ in pool.tables:
        for block in table:
            users.setdefault(block, []).append(number)
            owners[block] = number if owners[block] < 0 else owners[block]
    told = [_block(block, pool, found, users.get(block, [])) for block in range(found.blocks)]
    free = int((owners == FREE).sum())
    said = controls.say("title_pool", {}, free=free, blocks=found.blocks, size=found.block_size)
    chart = figures.blocks(owners, pool.filled, told, said, size=found.block_size, marked=event.blocks)
    words.plain(words.t("generate.pool_note"), "note", "pool")
    columns = {
        words.t("generate.block_of"): list(range(found.blocks)),
        words.t("generate.holders"): pool.holders,
        words.t("generate.filled"): pool.filled,
        words.t("generate.request"): [" ".join(str(n + 1) for n in users.get(b, [])) for b in range(found.blocks)],
    }
    drawn.figure(chart, "generate.pool", "paged", columns)


def _block(block: int, pool: Any, found: Any, users: list[int]) -> str:
    whose = ", ".join(str(number + 1) for number in users)
    values = {"block": block, "filled": int(pool.filled[block]), "size": found.block_size}
    if users:
        return words.t("generate.block_used", **values, requests=whose)
    return words.t("generate.block_kept" if pool.holders[block] else "generate.block_free", **values)


def _tables(event: Any) -> None:
    """Show where each request's positions lie."""
    for number, table, length in event.pool.tables:
        listed = " → ".join(map(str, table))
        told = words.t("generate.table_of", request=number + 1, length=length, blocks=listed)
        words.plain(told, "line", f"table-{number}")


def _tree(found: Any, event: Any) -> None:
    """Draw the tree of beginnings."""
    nodes = event.pool.tree
    if not nodes:
        words.plain(words.t("generate.tree_empty"), "note", "tree")
        return
    named = {
        ident: label for request in found.requests for ident, label in zip(request.ids, request.labels, strict=True)
    }
    for request in found.requests:
        named |= dict(zip(request.written, request.written_labels, strict=True))
    labels = [" ".join(named.get(ident, str(ident)) for ident in node.ids) for node in nodes]
    told = [
        words.t("generate.tree_told", text=label, blocks=", ".join(map(str, node.blocks)), locks=node.locks)
        for label, node in zip(labels, nodes, strict=True)
    ]
    used, idle = words.t("generate.tree_used"), words.t("generate.tree_idle")
    kinds = {
        name: (look, [place for place, node in enumerate(nodes) if bool(node.locks) == (look == "strong")])
        for name, look in ((idle, "pale"), (used, "strong"))
    }
    chart = figures.tree(
        [node.parent for node in nodes],
        labels,
        told,
        controls.say("title_prefixes", {"x": "branch"}),
        kinds={name: kind for name, kind in kinds.items() if kind[1]},
        least=BRANCH,
    )
    columns = {
        words.t("generate.node"): list(range(len(nodes))),
        words.t("generate.parent"): ["" if node.parent is None else node.parent for node in nodes],
        words.t("generate.start"): [node.start for node in nodes],
        words.t("generate.text_of"): labels,
        words.t("generate.blocks_of"): [" ".join(map(str, node.blocks)) for node in nodes],
        words.t("generate.locks"): [node.locks for node in nodes],
    }
    drawn.figure(chart, "generate.prefixes", "radix", columns)


def _sheet(found: Any) -> dict[str, Any]:
    """Return every event as columns."""
    events = found.events
    return {
        words.t("generate.event"): list(range(len(events))),
        words.t("generate.round"): [event.round for event in events],
        words.t("generate.what"): [words.t(f"generate.kind_of_{event.kind}") for event in events],
        words.t("generate.request"): ["" if event.request is None else event.request + 1 for event in events],
        words.t("generate.tokens"): [event.tokens for event in events],
        words.t("generate.blocks_of"): [" ".join(map(str, event.blocks)) for event in events],
    }
