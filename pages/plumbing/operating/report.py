"""How the server does, on a page: the numbers that Prometheus gets, for whoever has none."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import core
from pages.plumbing import doors, visits, words
from pages.plumbing.operating import logs, metrics

MEBIBYTE = 1 << 20
EVERY = "5s"
MINUTE, MOST = 60.0, 20
VISITS = {"sessions": "count", "kept": "kept", "rested": "rested"}


def closed() -> None:
    """Say that this page is not open on this server."""
    words.plain(words.t("server.closed"), "note", "server")


def show() -> None:
    """Show every number, anew every few seconds."""
    st.fragment(_report, run_every=EVERY)()


def _report() -> None:
    vitals = doors.engine().vitals()
    here = (
        *((name, getattr(visits, function)()) for name, function in VISITS.items()),
        *((name, getattr(vitals, name)) for name in ("waiting", "writing", "measuring")),
        *(("memory", round(taken / MEBIBYTE)) for taken in metrics.memory()),
    )
    with st.container(key="vitals", horizontal=True, gap="medium"):
        for name, number in here:
            st.metric(words.t(f"server.{name}"), number, width="content")
    _table("pages", _pages())
    words.plain(words.t("server.pages_shared"), "note", "pages_shared")
    _table("stores", _stores(vitals))
    _table("phases", _phases(vitals))
    _table("refused", [(key, count) for key, count in sorted(vitals.refused.items())])
    _table("recent", [(one.when, one.kind, " ← ".join(reversed(one.places))) for one in logs.recent()])
    words.plain(words.t("server.no_texts"), "note", "texts")


def _pages() -> list[tuple[object, ...]]:
    now, shown = time.monotonic(), visits.quietest()[:MOST]
    held = doors.engine().weigh({name for visit in shown for name in (*visit.traces, *visit.uploads)})
    return [
        (
            (now - visit.began) / MINUTE,
            (now - visit.seen) / MINUTE,
            visit.sent / MEBIBYTE,
            *(sum(held.get(name, 0) for name in names) / MEBIBYTE for names in (visit.traces, visit.uploads)),
        )
        for visit in shown
    ]


def _stores(vitals: core.engine.Vitals) -> list[tuple[object, ...]]:
    return [
        (words.t(f"server.{name}"), kept.things, kept.bytes / MEBIBYTE, kept.limit / MEBIBYTE, kept.found, kept.made)
        for name, kept in vitals.stores.items()
    ]


def _phases(vitals: core.engine.Vitals) -> list[tuple[object, ...]]:
    return [
        (words.t(f"server.{name}"), phase.count, phase.seconds, 1000 * phase.seconds / phase.count)
        for name, phase in sorted(vitals.phases.items())
    ]


def _table(name: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Show rows under the heads that the words name, separated by bars; where there are none, say so."""
    st.subheader(words.t(f"server.{name}_title"), anchor=False)
    if not rows:
        words.plain(words.t("server.none"), "note", name)
        return
    heads = words.t(f"server.{name}_heads").split("|")
    st.dataframe(pd.DataFrame(rows, columns=heads), hide_index=True, column_config=_precise(heads, rows[0]))


def _precise(heads: Sequence[str], row: Sequence[object]) -> dict[str, Any]:
    exact = {head for head, value in zip(heads, row, strict=True) if isinstance(value, float)}
    return {head: st.column_config.NumberColumn(format="%.1f") for head in exact}
