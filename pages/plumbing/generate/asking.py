"""What is written after, by which model, and how each token is chosen."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

import core
from pages.plumbing import ask, doors, extras, words
from pages.plumbing.generate import controls, telling

LONGEST, WRONG = 1000, "generate.wrong_ends"
MOST, SETTING = 512, "HEADS_UP_MAX_WRITTEN"
Given = TypeVar("Given")
Found = TypeVar("Found")


def model() -> str:
    """Return the chosen model; where it is not here, the one that a visit begins with."""
    known, wanted = doors.models(), controls.now("model")
    writers = [entry.name for entry in core.catalog() if entry.kind != "encoder"]
    return wanted if wanted in known else next(iter(writers), doors.usual())


def session() -> str:
    """Return the name under which this visit stands in the line of those who write."""
    name: str = st.session_state.setdefault("generate.session", secrets.token_hex(16))
    return name


def boxes(now: str) -> str:
    """Show the prompt and the model; return the prompt as it stands there."""
    with st.container(key="ask"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            controls.box("text", longest=LONGEST, then=_prompted)
        with right:
            pick(now)
        words.plain(ask.about(now), "note", "model")
    return controls.now("text")


def pick(now: str) -> None:
    """Show which model it is."""
    st.session_state["field.generate.model"] = now
    st.selectbox(
        words.t("generate.model"),
        doors.models(),
        key="field.generate.model",
        format_func=ask.called,
        on_change=_modelled,
    )


def last(part: str, given: Given, find: Callable[[Given], Found]) -> Found | None:
    """Return what is found for what is given; where that is refused, say why and return what was found last."""
    try:
        found = find(given)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", part)
        return again(part, find)
    st.session_state[f"generate.last_{part}"] = given
    return found


def again(part: str, find: Callable[[Given], Found]) -> Found | None:
    """Return what was found last, and say that it is this; None where nothing was, or where that is refused by now."""
    given: Given | None = st.session_state.get(f"generate.last_{part}")
    if given is None:
        return None
    try:
        found = find(given)
    except core.CoreError:
        return None
    before(part)
    return found


def before(part: str) -> None:
    """Say that what follows belongs to what was given before."""
    words.plain(words.t("generate.before"), "note", f"before-{part}")


def ways(now: str) -> core.engine.Wanted:
    """Show how each token is chosen, and return what is wanted of the text in the box."""
    with st.container(key="settings", horizontal=True, gap="medium"):
        for name in ("limit", "temperature", "top_k", "top_p", "min_p", "seed"):
            _set(name)
    with st.container(key="endings", horizontal=True, gap="medium", vertical_alignment="bottom"):
        if controls.pick("stop") == "own":
            wrong = st.session_state.get(WRONG, "")
            st.session_state["field.generate.ends"] = wrong or controls.now("ends")
            st.text_input(
                words.t("generate.ends"), key="field.generate.ends", max_chars=150, width=220, on_change=_ended
            )
            if wrong:
                words.plain(words.t("generate.ends_wrong", came=words.quoted(wrong)), "refused", "ends")
    return wanted(now)


def most() -> int:
    """Return how many tokens may be written in one go, on this page and on this server."""
    return min(MOST, doors.engine().settings.max_written)


def wanted(now: str) -> core.engine.Wanted:
    """Return what is wanted, as the options say it; say so where more was asked for than this server writes."""
    if controls.number("limit") > most():
        words.plain(words.t("generate.limit_here", most=most(), name=SETTING), "refused", "limit")
    return core.engine.Wanted(
        model=now,
        text=controls.now("text"),
        limit=min(controls.number("limit"), most()),
        choosing=core.Choosing(
            temperature=float(controls.now("temperature")),
            top_k=controls.number("top_k"),
            top_p=float(controls.now("top_p")),
            min_p=float(controls.now("min_p")),
            seed=controls.number("seed"),
        ),
        stop=_stops(),
        forced=tuple(int(ident) for ident in controls.now("forced").split(".") if ident),
    )


def _stops() -> tuple[int, ...] | None:
    """Return which pieces end a text: None for those that the folder names."""
    own = {"folder": None, "never": (), "own": extras.numbers(controls.now("ends"))}
    return own[controls.now("stop")]


def ends(ref: core.TraceRef, now: core.engine.Wanted) -> None:
    """Say which tokens end the text."""
    given, last = (
        doors.ask(ref, _ends) if now.stop is None else now.stop,
        doors.report(now.model).spec.written_pieces - 1,
    )
    stops, unknown = [one for one in given if one <= last], [str(one) for one in given if one > last]
    if unknown:
        listed = words.t("generate.comma").join(unknown)
        words.plain(words.t("generate.ends_unknown", tokens=listed, last=f"{last:,}"), "refused", "unknown-ends")
    named = zip(doors.ask(ref, telling.names, idents=tuple(stops)), stops, strict=True)
    listed = words.t("generate.comma").join(f"{words.quoted(label)} ({ident})" for label, ident in named)
    key = "ends_with" if stops else "ends_never"
    words.plain(words.t(f"generate.{key}", tokens=listed), "note", "ends")


def _ends(trace: core.Trace) -> tuple[int, ...]:
    return tuple(sorted(trace.model.spec.ends))


def _set(name: str) -> None:
    if name in controls.LARGEST:
        controls.decimal(name, 0.1 if name == "temperature" else 0.05)
    else:
        controls.count(name)


def _ended() -> None:
    """Take the numbers that were typed; what is no list of numbers stays in its box."""
    typed = controls.chosen("ends")
    numbers = "".join(typed.split()).replace("，", ",").strip(",")
    controls.put("ends", numbers)
    st.session_state[WRONG] = "" if controls.now("ends") == numbers else typed


def _prompted() -> None:
    controls.put("text", controls.chosen("text"))
    _begin()


def _modelled() -> None:
    controls.put("model", controls.chosen("model"))
    _begin()


def _begin() -> None:
    """Forget what belonged to another text."""
    for name in ("forced", "map"):
        controls.put(name, "")
    controls.put("step", 0)
