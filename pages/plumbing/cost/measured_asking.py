"""What is to be measured, what it will take, and how far it is; kept in the options of the address."""

from __future__ import annotations

import secrets
from typing import Any

import streamlit as st

import core
from pages.plumbing import ask, choice, doors, fields, words
from pages.plumbing.cost.amounts import size

measure = core.measure
SESSION = "measured.session"
BEFORE, MEANWHILE = "measured.before", "measured.meanwhile"
MINUTE = 60


def bench() -> Any:
    """Return where this server measures."""
    return doors.engine().bench


def session() -> str:
    """Return the name under which this visit stands in the line of those who measure."""
    name: str = st.session_state.setdefault(SESSION, secrets.token_hex(16))
    return name


def called(subject: str) -> str:
    """Return how a subject is called."""
    for key in (f"measured.name_{subject}", f"mixers.name_{subject}"):
        if key in core.words.catalogue("en"):
            return words.t(key)
    return ask.called(subject)


def wide(subject: str) -> int:
    """Return the width at which a subject is measured; 0 for a model, which has its own."""
    return fields.number("measured.wide") if subject in measure.NAMES else 0


def back() -> bool:
    """Tell whether the way back is measured too."""
    return fields.now("measured.way") == "both"


def wanted() -> Any:
    """Show what can be measured, and return what is chosen."""
    with st.container(key="options", horizontal=True, gap="medium", vertical_alignment="bottom"):
        subjects = fields.some("measured.what", (*measure.NAMES, *measure.models()), called)
    with st.container(key="settings", horizontal=True, gap="medium", vertical_alignment="bottom"):
        for option in ("measured.way", "measured.wide", "measured.longest"):
            fields.pick(option)
    lengths = measure.steps(fields.number("measured.longest"))
    return measure.Wanted(subjects=subjects, lengths=lengths, back=back(), width=fields.number("measured.wide"))


def start(wanted: Any) -> None:
    """Show what a measurement would take, and a button that begins it; where it is refused, why, and what is left."""
    try:
        _offer(wanted)
    except core.CoreError as refused:
        values = refused.values | ({"what": called(str(refused.values["what"]))} if "what" in refused.values else {})
        words.plain(words.t(f"errors.{refused.key}", **values), "refused", "measured")
        if refused.key == "measure_memory":
            _without(measure.Wanted(**{**vars(wanted), "skip": True}))


def _offer(wanted: Any) -> None:
    coming = bench().forecast(wanted)
    with st.container(key="measuring", horizontal=True, gap="small", vertical_alignment="center"):
        st.button(words.t("measured.begin"), key="measured.begin", type="primary", on_click=_begin, args=(wanted,))
        words.plain(_told(coming), "note", "estimate")


def _told(coming: Any) -> str:
    said = {"points": len(coming.units), "time": lasting(coming.seconds), "memory": size(coming.bytes)}
    if not coming.refused:
        return words.t("measured.estimate", **said)
    return words.t("measured.estimate_without", left=len(coming.refused), **said)


def _without(wanted: Any) -> None:
    """Offer to measure what is not too large."""
    try:
        _offer(wanted)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "without")


def going(standing: Any) -> None:
    """Show how far a measurement is, or its place in the line, and a button that ends it."""
    with st.container(key="measuring", horizontal=True, gap="small", vertical_alignment="center"):
        st.button(words.t("measured.stop"), key="measured.stop", type="primary", on_click=_stop)
        if standing.ahead:
            words.plain(words.t("measured.queue", ahead=standing.ahead), "line", "going")
        elif standing.machine is None:
            words.plain(words.t("measured.starting"), "line", "going")
        else:
            said = {"done": len(standing.points), "count": standing.count, "time": lasting(standing.left)}
            words.plain(words.t("measured.going", **said), "line", "going")
    st.progress(min(1.0, len(standing.points) / max(1, standing.count)))
    words.plain(words.t("measured.stays"), "note", "stays")


def meanwhile(standing: Any) -> None:
    """Say how often this server ran models for people while it measured, which takes time from what is measured."""
    before = st.session_state.get(BEFORE)
    if standing is not None and before is not None:
        st.session_state[MEANWHILE] = _turns() - before
        if standing.ended:
            del st.session_state[BEFORE]
    if count := st.session_state.get(MEANWHILE):
        words.plain(words.t("measured.meanwhile", count=count), "note", "meanwhile")


def _turns() -> int:
    """Return how often this server has let somebody run a model so far."""
    phases = doors.engine().vitals().phases
    return phases["wait"].count if "wait" in phases else 0


def lasting(seconds: float) -> str:
    """Write how long something lasts."""
    whole = max(1, round(seconds))
    if whole < MINUTE:
        return words.t("measured.seconds", seconds=whole)
    return words.t("measured.minutes", minutes=whole // MINUTE, seconds=whole % MINUTE)


def _begin(wanted: Any) -> None:
    choice.touch()
    try:
        bench().begin(wanted, session())
    except core.CoreError:
        return  # memory went in the meantime; what is shown next says so
    st.session_state[BEFORE] = _turns()
    st.session_state.pop(MEANWHILE, None)


def _stop() -> None:
    choice.touch()
    bench().stop(session())
