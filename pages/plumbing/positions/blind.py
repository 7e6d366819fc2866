"""Blind to order: the same text shuffled, with and without positions, in one small layer and in the loaded model."""

from __future__ import annotations

from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, words
from pages.plumbing.positions import controls, draw
from pages.plumbing.positions.controls import number, say
from pages.plumbing.sheets import measured

schemes, shuffles, figures = core.analysis.schemes, core.analysis.shuffles, core.figures
BUILT_IN = {"cats": "猫追狗", "dogs": " ".join(("dog", "bites", "man"))}
COMPARED = ("none", "sinusoidal")
NO_POSITIONS, NO_MASK = core.changes.NoPositions(), core.changes.NoMask()
PARTS = 64


def show(ref: core.TraceRef) -> None:
    """Show the two texts, what a layer makes of them, and what the model does."""
    with st.container(key="options"):
        controls.pick("text")
        if controls.now("text") == "own":
            st.button(words.t("positions.shuffle"), key="positions.shuffle", on_click=_shuffle)
    text, order = shuffles.begin(_text(), PARTS), number("order") if controls.now("text") == "own" else 0
    _two(text, shuffles.shuffled(text, order))
    st.subheader(words.t("positions.layer_title"), anchor=False)
    st.markdown(words.t("positions.layer_lead"))
    _layer(text, order)
    st.subheader(words.t("positions.model_title"), anchor=False)
    st.markdown(words.t("positions.model_lead"))
    try:
        _model(ref, text, shuffles.shuffled(text, order))
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "shuffle")


def _text() -> str:
    return BUILT_IN.get(controls.now("text"), choice.view().asked.text)


def _shuffle() -> None:
    choice.set_extra("positions.order", str((number("order") + 1) % 1000))


def _two(text: str, shuffled: str) -> None:
    with st.container(key="two"):
        words.plain(text, "first", "straight")
        words.plain(shuffled, "first", "shuffled")
    if len(shuffles.parts_of(_text())) > PARTS:
        words.plain(words.t("positions.begun", parts=PARTS), "note", "begun")


def _layer(text: str, order: int) -> None:
    for scheme, column in zip(COMPARED, st.columns(2, gap="large"), strict=True):
        with column:
            found = schemes.blind(text, scheme, shuffles.order_of(text, order))
            words.plain(words.t(f"positions.name_{scheme}"), "title", f"blind-{scheme}")
            for name, cells, parts in _outputs(text, found):
                _output(cells, parts, f"{scheme}-{name}", name)
            said = {"difference": measured(found.difference)}
            words.plain(words.t(f"positions.blind_{scheme}", **said), "first", f"blind-said-{scheme}")
    others = [scheme for scheme in schemes.table() if scheme not in COMPARED]
    told = {scheme: schemes.blind(text, scheme, shuffles.order_of(text, order)).difference for scheme in others}
    listed = {words.t("positions.scheme_column"): [words.t(f"positions.name_{scheme}") for scheme in told]}
    listed |= {words.t("positions.difference"): [measured(value) for value in told.values()]}
    with st.container(key="others"):
        words.plain(words.t("positions.others"), "note", "others")
        st.dataframe(listed, hide_index=True, height="content", key="positions.others", width=420)


def _outputs(text: str, found: Any) -> tuple[tuple[str, Any, list[str]], ...]:
    parts = shuffles.parts_of(text)
    moved = [parts[place] for place in found.order]
    return ("straight", found.straight, list(parts)), ("shuffled", found.shuffled, moved)


def _output(cells: Any, parts: list[str], key: str, name: str) -> None:
    axes = {"rows": "part", "columns": "dimension", "value": "value"}
    title = say(f"title_{name}", axes=axes)
    columns = range(cells.shape[1])
    chart = figures.signed_map(cells, parts, columns, title, height=figures.high(len(parts)))
    draw.figure(chart, f"blind-{key}", "blind", draw.grid(cells, parts, columns))


def _model(ref: core.TraceRef, text: str, shuffled: str) -> None:
    kind, model = doors.report(ref.request.model).spec.kind, ref.request.model
    pair = _spaced(text, shuffled) if kind == "decoder" else (text, shuffled)
    altered: dict[str, tuple[Any, ...]] = {"with": (), "without": (NO_POSITIONS,)}
    altered |= {"unmasked": (NO_POSITIONS, NO_MASK)} if kind == "decoder" else {}
    refs = {name: [doors.changed(model, one, changes) for one in pair] for name, changes in altered.items()}
    for note in doors.notes(refs["with"][0]):
        if note.key == "unknown":
            words.plain(words.t("positions.unknown", **note.values), "line", "unknown")
    _compared(refs, kind)
    _maps(refs)
    _predictions(refs)


def _spaced(*texts: str) -> tuple[str, ...]:
    """Put a space before texts of words, and say so."""
    found = tuple(shuffles.alone(text) for text in texts)
    if found != texts:
        words.plain(words.t("positions.space"), "note", "space")
    return found


def _compared(refs: dict[str, list[core.TraceRef]], kind: str) -> None:
    found = {name: [doors.ask(ref, shuffles.outputs) for ref in both] for name, both in refs.items()}
    results = {name: shuffles.compared(*both) for name, both in found.items()}
    if next(iter(results.values())).difference is None:
        words.plain(words.t("positions.other_pieces"), "line", "pieces")
    rows = {
        "change": [words.t(f"positions.run_{name}") for name in results],
        "difference": [_difference(result) for result in results.values()],
        "largest": [measured(result.largest) for result in results.values()],
        "alike_outputs": [f"{result.alike:.6f}" for result in results.values()],
    }
    st.dataframe(
        {words.t(f"positions.{name}"): values for name, values in rows.items()},
        hide_index=True,
        height="content",
        key="positions.compared",
    )
    words.plain(words.t(f"positions.compared_{'decoder' if kind == 'decoder' else 'encoder'}"), "line", "compared")


def _difference(result: Any) -> str:
    return words.t("positions.no_difference") if result.difference is None else measured(result.difference)


def _maps(refs: dict[str, list[core.TraceRef]]) -> None:
    chosen = controls.one_head()
    with st.container(key="options-head", horizontal=True, gap="medium"):
        controls.head(refs["with"][0])
    for name, column in zip(("with", "without"), st.columns(2, gap="large"), strict=True):
        with column:
            ref = refs[name][0]
            matrix = doors.ask(ref, core.analysis.one_map, choice=chosen)
            labels = [piece.label for piece in doors.ask(ref, core.analysis.pieces)]
            head = {"layer": chosen.layer, "head": chosen.heads[0]}
            said = words.section("figure") | {"title": words.t(f"positions.title_map_{name}", **head)}
            chart = figures.heatmap(matrix, labels, labels, said, rule=doors.ask(ref, _rule, choice=chosen))
            draw.figure(chart, f"map-{name}", "attention", draw.grid(matrix, labels, labels))


def _predictions(refs: dict[str, list[core.TraceRef]]) -> None:
    found = {
        (name, n): doors.ask(ref, shuffles.likely) for name in ("with", "without") for n, ref in enumerate(refs[name])
    }
    if None in found.values():
        words.plain(words.t("positions.no_prediction"), "note", "prediction")
        return
    words.plain(words.t("positions.prediction"), "line", "prediction")
    for n, which in enumerate(("straight", "shuffled")):
        for name, column in zip(("with", "without"), st.columns(2, gap="large"), strict=True):
            with column:
                _likely(found[name, n], name, which, refs[name][n].request.text)


def _likely(found: Any, name: str, which: str, text: str) -> None:
    labels, shares = [one.label for one in found], [one.probability for one in found]
    title = words.t(f"positions.title_next_{name}", text=shuffles.short(text))
    chart = figures.bars(shares, labels, {"title": title, "share": words.t("positions.probability")})
    sheet = {
        words.t("heads.id"): [one.ident for one in found],
        words.t("heads.piece"): labels,
        words.t("positions.probability"): shares,
    }
    draw.figure(chart, f"next-{name}-{which}", "next", sheet)


def _rule(trace: core.Trace, choice: core.Choice) -> Any:
    maps = core.analysis.maps(trace, side=choice.side)
    return maps.rule_at(choice.layer)
