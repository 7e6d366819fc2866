"""Beam search: every beginning that was looked at as a tree, and what the winning answer looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import choice, doors, drawn, words
from pages.plumbing.generate import asking, controls, maps, run, searching
from pages.plumbing.sheets import measured

FATES = {"alive": "pale", "dropped": "faint", "finished": "done", "winner": "strong"}


def ways(model: str) -> core.engine.Wanted:
    """Show how wide is searched, and return what is wanted."""
    with st.container(key="settings", horizontal=True, gap="medium"):
        for name in ("limit", "beams"):
            controls.count(name)
        controls.decimal("penalty", 0.1)
    return asking.wanted(model)


def show(ref: core.TraceRef, wanted: core.engine.Wanted) -> None:
    """Show the tree, the winning answer, and its cross-attention."""
    beams, penalty = controls.number("beams"), float(controls.now("penalty"))
    found = searching.found(searching.Asked(wanted=wanted, beams=beams, penalty=penalty))
    if found is not None:
        _found(ref, found)


def again() -> None:
    """Show what was found last, where anything was."""
    asked, found = searching.kept()
    if asked is not None and found is not None:
        asking.before("beams")
        _found(doors.changed(asked.wanted.model, asked.wanted.text), found)


def _found(ref: core.TraceRef, found: core.Tree) -> None:
    words.plain(run.readable((found.answered.target or found.answered).text), "first", "winner")
    told = {"score": measured(found.score), "total": measured(found.nodes[found.winner[-1]].total)}
    words.plain(words.t("generate.won", count=len(found.winner), **told), "line", "won")
    _tree(found)
    _looks(ref, found)


def _tree(found: core.Tree) -> None:
    nodes = found.nodes
    kinds = {
        words.t(f"generate.fate_{fate}"): (look, [node.number for node in nodes if node.fate == fate])
        for fate, look in FATES.items()
    }
    said = controls.say("title_tree", {"x": "step"}, beams=found.beams)
    chart = core.figures.tree(
        [node.parent for node in nodes],
        [node.label for node in nodes],
        [_told(node) for node in nodes],
        said,
        kinds={name: kind for name, kind in kinds.items() if kind[1]},
    )
    columns: dict[str, Any] = {
        words.t("generate.node"): [node.number for node in nodes],
        words.t("generate.parent"): ["" if node.parent is None else node.parent for node in nodes],
        words.t("generate.step"): [node.depth for node in nodes],
        words.t("generate.token"): [node.label for node in nodes],
        words.t("generate.log_probability"): [node.log_probability for node in nodes],
        words.t("generate.total"): [node.total for node in nodes],
        words.t("generate.score"): [node.score for node in nodes],
        words.t("generate.fate"): [words.t(f"generate.fate_{node.fate}") for node in nodes],
    }
    drawn.figure(chart, "generate.tree", "beams", columns)


def _told(node: Any) -> str:
    values = {"own": measured(node.log_probability), "total": measured(node.total), "score": measured(node.score)}
    return words.t("generate.node_told", token=node.label, **values)


@st.fragment
def _looks(ref: core.TraceRef, found: core.Tree) -> None:
    """Show what each token of the winning answer looks at, in every head."""
    st.subheader(words.t("generate.cross"), anchor=False)
    side = maps.pick(tuple(side for side in ref.sides if side != "encoder"))
    words.plain(words.t(f"generate.cross_note_{side}"), "note", "cross")
    answered, written = found.answered, found.answered.target or found.answered
    cells = doors.ask(ref, looked, answer=tuple(map(int, written.ids)), side=side)
    st.session_state[maps.FIRST] = None
    maps.draw(cells, side, written.labels, answered.labels if side == "cross" else written.labels, None)
    choice.publish()


def looked(trace: core.Trace, answer: tuple[int, ...], side: str) -> Any:
    """Ask for the maps of every head of a side along an answer [layer, head, query, key], from one pass over it."""
    written = trace.model.reader.of_ids(list(answer))
    given = written if trace.sample.target is None else replace(trace.sample, target=written)
    found = core.trace(trace.model, given)
    shapes = {layer: one.shape for layer, one in found.looking(side).items()}
    cells = np.full((len(found.layers(side)), *next(iter(shapes.values()))), np.nan, dtype=np.float32)
    for layer, (heads, _, _) in shapes.items():
        for head in range(heads):
            cells[layer, head] = found.pattern(layer, head, side)
    return cells
