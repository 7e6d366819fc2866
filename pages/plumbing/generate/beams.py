"""Beam search: every beginning that was looked at as a tree, and what the winning answer looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import doors, drawn, words
from pages.plumbing.generate import asking, controls
from pages.plumbing.sheets import grid, measured, numbered

TREE = "generate.tree"
FATES = ("alive", "dropped", "finished", "winner")


def ways(model: str) -> core.engine.Wanted:
    """Show how wide is searched, and return what is wanted."""
    with st.container(key="settings", horizontal=True, gap="medium"):
        for name in ("limit", "beams"):
            controls.count(name)
        controls.decimal("penalty", 0.1)
    return asking.wanted(model)


def show(ref: core.TraceRef, wanted: core.engine.Wanted) -> None:
    """Show the tree, the winning answer, and its cross-attention."""
    with st.spinner(words.t("generate.searching")):
        found = searched(wanted, controls.number("beams"), float(controls.now("penalty")))
    text = found.answered.target.text if found.answered.target else found.answered.text
    words.plain(text, "first", "winner")
    told = {"score": measured(found.score), "total": measured(found.nodes[found.winner[-1]].total)}
    words.plain(words.t("generate.won", count=len(found.winner), **told), "line", "won")
    _tree(found)
    if "encoder" in ref.sides:
        _cross(ref, found)


def searched(wanted: core.engine.Wanted, beams: int, penalty: float) -> core.Tree:
    """Return a search; the last one is kept for the visit."""
    asked = (wanted, beams, penalty)
    kept = st.session_state.get(TREE)
    if kept is None or kept[0] != asked:
        kept = (asked, doors.engine().search(wanted, beams=beams, length_penalty=penalty))
        st.session_state[TREE] = kept
    found: core.Tree = kept[1]
    return found


def _tree(found: core.Tree) -> None:
    nodes = found.nodes
    kinds = {words.t(f"generate.fate_{fate}"): [node.number for node in nodes if node.fate == fate] for fate in FATES}
    said = controls.say("title_tree", {"x": "step"}, beams=found.beams)
    chart = core.figures.tree(
        [node.parent for node in nodes],
        [node.label for node in nodes],
        [_told(node) for node in nodes],
        said,
        kinds={name: numbers for name, numbers in kinds.items() if numbers},
        strong=words.t("generate.fate_winner"),
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
    st.plotly_chart(chart, key="chart.generate.tree", config={"displaylogo": False})
    drawn.under("generate.tree", "beams", columns)


def _told(node: Any) -> str:
    values = {"own": measured(node.log_probability), "total": measured(node.total), "score": measured(node.score)}
    return words.t("generate.node_told", token=node.label, **values)


def _cross(ref: core.TraceRef, found: core.Tree) -> None:
    """Show what each token of the winning answer looks at in what was read: the mean of the heads of one layer."""
    st.subheader(words.t("generate.cross"), anchor=False)
    words.plain(words.t("generate.cross_note"), "note", "cross")
    answered, target = found.answered, found.answered.target
    if target is None:
        return
    layers = doors.ask(ref, _layers)
    layer = controls.along("cross_layer", layers - 1)
    cells = doors.ask(ref, crossed, answer=tuple(map(int, target.ids)), layer=layer)
    rows, columns = target.labels, answered.labels
    axes = {"query": "query", "key": "key", "share": "share"}
    chart = core.figures.heatmap(cells, rows, columns, controls.say("title_cross", axes))
    numbers = grid(words.t("generate.query"), numbered(rows), numbered(columns), cells)
    drawn.figure(chart, "generate.cross", "softmax", numbers)


def crossed(trace: core.Trace, answer: tuple[int, ...], layer: int) -> Any:
    """Ask for the cross-attention of one layer along an answer: the mean of its heads [query, key]."""
    target = trace.model.reader.of_ids(list(answer))
    found = core.trace(trace.model, replace(trace.sample, target=target))
    choice = core.Choice(side="cross", layer=layer, heads=())
    return core.analysis.one_map(found, choice)


def _layers(trace: core.Trace) -> int:
    return len(trace.layers("cross"))
