"""What stands under the picture: the pieces that went in, the figure to keep, and how a model was loaded."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import core
from pages.plumbing import ask, choice, doors, reading, words
from pages.plumbing.state import View

TALL = 24
LARGEST = 512


def unfolded(title: str, show: Callable[[], None], key: str = "") -> None:
    """Show something under a title, made only when a person unfolds it."""
    with st.expander(words.t(title), key=f"unfold.{title}.{key}", on_change="rerun") as box:
        if box.open:
            show()


def models() -> None:
    """Show every model that can be picked, and on demand how it was loaded."""
    folders = core.own_folders(doors.engine().settings.models_root)
    for name in doors.models():
        words.plain(ask.called(name), "title", name)
        refused = doors.refusal(name) if name in folders else None
        if refused is None:
            words.plain(ask.about(name), "note", name)
            unfolded("models.report", partial(report, name), name)
        else:
            words.plain(words.error(refused), "refused", name)
    for entry in core.catalog(installed=False):
        words.plain(entry.title, "title", entry.name)
        absent = core.CoreError("model_not_installed", name=entry.name, needed=entry.needed)
        words.plain(words.error(absent), "refused", entry.name)
    if not folders:
        words.plain(words.t("models.folders_none"), "note", "folders")


def families() -> None:
    """Show which families open, and which of them from GGUF files too."""
    known = core.families()
    st.subheader(words.t("models.families"), anchor=False)
    words.plain(words.t("models.families_all", names=", ".join(one.name for one in known)), "line", "families")
    words.plain(words.t("models.families_gguf", names=", ".join(one.name for one in known if one.gguf)), "line", "gguf")
    words.plain(words.t("models.files"), "note", "files")


def pieces(ref: core.TraceRef) -> None:
    """Show what went into the model, letter by letter, and what became of the text on its way."""
    rows = doors.ask(ref, core.analysis.pieces)
    words.plain(words.t("heads.went_in_note", count=len(rows)), "note", "pieces")
    for way in doors.ask(ref, _spelling):
        words.plain(words.t(f"heads.spelling_{way}"), "note", f"spelling-{way}")
    for note in doors.notes(ref):
        words.plain(words.t(f"notes.{note.key}", **note.values), "line", f"note-{note.key}")
    st.dataframe(_columns(rows), hide_index=True, height="content" if len(rows) <= TALL else 480)


def figure(ref: core.TraceRef, drawn: Any) -> None:
    """Draw the chosen map as a chart to keep, with exactly its numbers as CSV."""
    now = choice.view()
    units, special = now.look.units, now.look.special
    matrix = doors.ask(ref, core.analysis.one_map, choice=now.chosen, units=units, special=special)
    said = words.section("figure") | {"title": _title(now)}
    top = 1.0 if now.look.scale == "shared" else None
    names = core.figures.marked(drawn.rows.labels), core.figures.marked(drawn.columns.labels)
    words.plain(words.t("heads.keep_note"), "note", "keep")
    if len(names[0]) <= LARGEST:
        rule = drawn.rule_at(now.chosen.layer)
        chart = core.figures.heatmap(matrix, *names, said, palette=now.look.palette, top=top, rule=rule)
        st.plotly_chart(chart, key="chart.heads")
    else:
        words.plain(words.t("heads.keep_large", limit=LARGEST), "note", "large")
    sheet = numbers(matrix, *names)
    st.download_button(words.t("heads.keep_csv"), sheet, "heads.csv", "text/csv", key="keep.csv", on_click="ignore")


def _title(now: View) -> str:
    """Say what a figure shows where the page is not beside it: the head, the model, and what is not as usual."""
    changed = [(name, getattr(now.look, name)) for name in ("units", "special")]
    said = [words.t(f"heads.{name}_{value}_figure") for name, value in changed if value not in ("pieces", "show")]
    return " · ".join((reading.who(now.chosen, words.t), ask.called(now.asked.model), *said))


def numbers(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Write a map as CSV; nine digits give every float32 back exactly."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(["", *columns])
    for label, row in zip(rows, matrix, strict=True):
        writer.writerow([label, *(f"{value:.9g}" for value in row)])
    return sheet.getvalue()


def report(name: str) -> None:
    """Show how a model was loaded."""
    try:
        told = doors.report(name)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", f"report-{name}")
        return
    rows = [(words.t(f"report.{key}"), value) for key, value in (*_told(told).items(), *_ignored(told))]
    columns = {
        words.t("report.what"): [what for what, _ in rows],
        words.t("report.value"): [value for _, value in rows],
    }
    first = {words.t("report.what"): st.column_config.Column(width="medium")}
    st.dataframe(columns, hide_index=True, height="content", key=f"report.{name}", column_config=first)
    words.plain(words.t("report.checksum"), "note", f"checksum-{name}")
    st.code(told.checksum, language=None, wrap_lines=True)


def _spelling(trace: core.Trace) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(trace.model.reader, "spelling", ())
    return found


def _columns(rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    return {
        words.t("heads.position"): [row.position for row in rows],
        words.t("heads.piece"): [row.piece for row in rows],
        words.t("heads.text"): [row.surface for row in rows],
        words.t("heads.id"): [row.ident for row in rows],
        words.t("heads.span"): [_span(row.span) for row in rows],
        words.t("heads.kind"): [words.t(f"heads.kind_{row.kind}") for row in rows],
    }


def _span(span: tuple[int, int] | None) -> str:
    return words.t("heads.span_none") if span is None or span[0] == span[1] else f"{span[0]}–{span[1]}"


def _told(report: core.LoadReport) -> dict[str, str]:
    spec = report.spec
    return {
        "family": spec.family,
        "kind": words.t(f"frame.{spec.kind}"),
        "depth": _both(report, lambda spec: spec.depth),
        "heads": _both(report, _heads),
        "width": _both(report, lambda spec: str(spec.width)),
        "pieces": f"{spec.pieces:,}",
        "positions": _both(report, _positions),
        "parameters": f"{report.parameters:,}",
        "stored": ", ".join(f"{kind} × {count}" for kind, count in report.stored),
        "computed": f"{report.computed}, {report.device}",
        "memory": ask.size(report.memory_bytes),
        "tensors": str(report.tensors_read),
        "verified": words.t("report.verified_yes" if report.verified else "report.verified_no"),
        "seconds": f"{report.seconds:.1f} s",
    }


def _ignored(report: core.LoadReport) -> list[tuple[str, str]]:
    """Return a row for each reason why something in the file was not read, with the names of all that it holds for."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in report.ignored:
        by_reason.setdefault(reason, []).append(name)
    rows = [("ignored", f"{words.t(f'report.ignored_{why}')}: {', '.join(names)}") for why, names in by_reason.items()]
    return rows or [("ignored", words.t("report.nothing"))]


def _both(report: core.LoadReport, say: Callable[[Any], str]) -> str:
    """Say something of a model; of one with an encoder for texts and one for pictures, of both."""
    if report.pictures is None:
        return say(report.spec)
    return words.t("report.both", text=say(report.spec), pictures=say(report.pictures))


def _positions(spec: Any) -> str:
    count = spec.positions or spec.places
    return f"{count:,}" if count else words.t("report.unbounded")


def _heads(spec: Any) -> str:
    heads = spec.heads
    if not heads.count:
        return words.t("report.heads_none")
    key = "report.heads_own" if heads.groups == heads.count else "report.heads_shared"
    return words.t(key, count=heads.count, groups=heads.groups, width=heads.head_width)
