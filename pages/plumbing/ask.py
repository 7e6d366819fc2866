"""What is read: the sentence, the model, the examples; and what is said when it cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, doors, link, samples, words
from pages.plumbing.state import Asked, Extent, View

SHOWN = 200
WARNED = ("dropped", "unknown")
REPLACED = "\ufffd"


def boxes() -> None:
    """Show the sentence, the optional second one, and the model with one line about it."""
    now, first = choice.draft(), "field.text" not in st.session_state and choice.first()
    given = {"pair": now.pair or "", "model": now.model} | ({} if first else {"text": now.text})
    for name, value in given.items():
        st.session_state.setdefault(f"field.{name}", value)
    with st.container(key="ask"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            _text("text", now.text if first else "")
            if now.pair is not None:
                _text("pair")
        with right:
            _model()
        with st.container(key="about", horizontal=True, gap="medium"):
            st.button(words.t("heads.look"), key="look", type="tertiary", on_click=choice.touch)
            words.plain(words.t("heads.look_keys"), "note", "keys")
            _pair_button(now)
            words.plain(about(now.model), "note", "model")


def seen() -> core.TraceRef | None:
    """Read what stands in the boxes; if it cannot be read, say why and return what was read before.

    What is said has a place of its own, so that the picture below keeps its place whether or not there is anything.
    """
    with st.container(key="said"):
        return _seen()


def _seen() -> core.TraceRef | None:
    asked = choice.draft()
    if not asked.text.strip():
        return _refused(words.t("heads.blank"))
    asked = replace(asked, pair=asked.pair if (asked.pair or "").strip() else None)
    try:
        with st.spinner(_working()):
            ref = doors.trace(asked)
            doors.extent(ref)
    except core.CoreError as refused:
        return _refused(words.error(refused))
    if choice.view().choice is None or choice.view().asked != asked:
        _settle(ref, asked)
    _warn(ref, asked)
    return ref


def _working() -> str:
    """Say that a model runs, and how many runs come first where any do."""
    ahead = doors.engine().vitals().waiting
    return words.t("heads.working_line", ahead=ahead) if ahead else words.t("heads.working")


def _warn(ref: core.TraceRef, asked: Asked) -> None:
    """Say what was lost on the way: before the text came here, in the tokenizer, or in the link."""
    lost = (asked.text + (asked.pair or "")).count(REPLACED)
    if lost:
        words.plain(words.t("notes.replaced", count=lost), "note", "lost")
    for note in doors.notes(ref):
        if note.key in WARNED:
            words.plain(words.t(f"notes.{note.key}", **note.values), "note", note.key)
    if asked.model == doors.uploaded():
        words.plain(words.t("models.uploaded_no_link"), "note", "link")
    elif not choice.fits_link():
        words.plain(words.t("frame.long_link", limit=link.LONGEST), "note", "link")


def _settle(ref: core.TraceRef, asked: Asked) -> None:
    rows, extent = doors.ask(ref, core.analysis.pieces), doors.extent(ref)
    begin = samples.opening(asked, rows, extent, _striking(ref, extent))
    choice.settle(asked, begin, _follow(ref, begin, rows), extent)


def _striking(ref: core.TraceRef, extent: Extent, **narrowed: Any) -> Any:
    return doors.ask(ref, core.analysis.striking, side=extent.sides[0], **narrowed)


def _follow(ref: core.TraceRef, begin: core.Choice, rows: Sequence[Any]) -> core.Choice:
    """Return what a person sees of a new sentence: the word and the head of before, the head of their own choice, or
    what it opens with."""
    now, asked = choice.view(), _asked(ref)
    if now.choice is None or now.begin is None or samples.example_of(asked) or now.asked.model != asked.model:
        return begin
    same = samples.following(now.choice, _word(now), asked, rows)
    if same is not None:
        return same
    if (now.choice.layer, now.choice.heads) == (now.begin.layer, now.begin.heads):
        return begin
    return _same_head(ref, now.choice, begin)


def _same_head(ref: core.TraceRef, before: core.Choice, begin: core.Choice) -> core.Choice:
    if before.layer is None or len(before.heads) != 1:
        return replace(begin, layer=before.layer, heads=before.heads, key=None)
    found = _striking(ref, doors.extent(ref), layer=before.layer, heads=before.heads)
    if found is None:
        return replace(begin, layer=before.layer, heads=before.heads, key=None)
    return replace(begin, layer=before.layer, heads=before.heads, query=found.query, key=found.key)


def _asked(ref: core.TraceRef) -> Asked:
    return Asked(model=ref.request.model, text=ref.request.text, pair=ref.request.pair)


def _word(now: View) -> str:
    """Return the word that was looked at."""
    if now.chosen.query is None:
        return ""
    surface: str = doors.ask(doors.trace(now.asked), core.analysis.pieces)[now.chosen.query].surface
    return surface


def _refused(why: str) -> core.TraceRef | None:
    last = choice.view()
    st.error(words.t("heads.refused"))
    words.plain(why, "refused", "error")
    if last.choice is None:
        return None
    text = last.asked.text
    words.plain(words.t("heads.last_picture", text=text if len(text) <= SHOWN else f"{text[:SHOWN]}…"), "note", "last")
    return doors.trace(last.asked)


def examples() -> None:
    """Show the examples; the one that is open shows its sentences too."""
    here = choice.draft()
    open_now = samples.example_of(here)
    with st.container(key="examples", horizontal=True, gap="small"):
        words.plain(words.t("heads.examples"), "note", "examples")
        for example in samples.examples():
            name = f"samples.{example.name}"
            _example(name, example.openings[0], example is open_now)
    with st.container(key="variants", horizontal=True, gap="small"):
        if open_now is not None and len(open_now.openings) > 1:
            for number, one in enumerate(open_now.openings):
                name = f"samples.{open_now.name}_{number}"
                _example(name, one, one.asked == here)


def look_for() -> None:
    """Say what to look for, if what is shown is an example."""
    now = choice.view()
    example, opening = samples.example_of(now.asked), samples.opening_of(now.asked)
    if example is None or opening is None:
        return
    with st.container(key="look_for"):
        words.plain(words.t("heads.look_for"), "who", "look")
        st.markdown(words.t(f"samples.{example.name}_look"))
        if (now.look.units, now.look.special) != (opening.units, "show"):
            shown = words.t(f"heads.units_{opening.units}"), words.t("heads.special_show")
            words.plain(words.t("heads.look_for_options", units=shown[0], special=shown[1]), "note", "look")


def _example(name: str, opening: samples.Opening, here: bool) -> None:
    st.button(words.t(name), key=name, type="primary" if here else "tertiary", on_click=_take, args=(opening,))


def _take(opening: samples.Opening) -> None:
    choice.look(units=opening.units)
    choice.ask(opening.asked)


def _text(name: str, first: str = "") -> None:
    """Show a box; `first` stands in it in the first run of a visit, unless it holds what was typed while the server was
    away, which is read."""
    typed = st.text_area(
        words.t("heads.sentence" if name == "text" else "heads.pair"),
        key=f"field.{name}",
        value=first,
        height=68,
        placeholder=words.t(f"heads.{'sentence' if name == 'text' else 'pair'}_hint"),
        on_change=_typed,
    )
    if first and typed != first:
        choice.typed(replace(choice.draft(), text=typed))


def _model() -> None:
    st.selectbox(words.t("heads.model"), doors.models(), key="field.model", format_func=called, on_change=_typed)


def about(name: str) -> str:
    """Say in one line what a model is, and what memory it takes, before it is opened."""
    needed = doors.needed(name)
    line = _what(name)
    return line if needed is None else f"{line} · {words.t('models.needed', size=size(needed))}"


def _what(name: str) -> str:
    entry = _entry(name)
    if entry is None:
        return words.t("models.uploaded_line" if name == doors.uploaded() else "models.folder")
    return words.t(
        "heads.model_line",
        kind=words.t(f"frame.{entry.kind}"),
        millions=f"{entry.parameters / 1e6:.1f}",
        wan=_in_tens_of_thousands(entry.parameters),
        size=size(entry.size_bytes),
        licence=entry.licence,
        source=entry.source,
    )


def size(count: int) -> str:
    """Write a number of bytes with a unit that leaves digits before the point."""
    return f"{count / 1e6:.0f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def _in_tens_of_thousands(count: int) -> str:
    """Count the Chinese way, by 10^4 and 10^8."""
    return f"{count / 1e8:.2f} 亿" if count >= 1e8 else f"{count / 1e4:.0f} 万"


def called(name: str) -> str:
    """Return how a model is called: its title, or its folder's name."""
    entry = _entry(name)
    if entry is None:
        return words.t("models.uploaded") if name == doors.uploaded() else name
    return entry.title


def _pair_button(now: Asked) -> None:
    if now.pair is not None:
        st.button(words.t("heads.pair_drop"), key="pair.drop", type="tertiary", on_click=_pair, args=(None,))
    elif _takes_pair(now.model):
        st.button(words.t("heads.pair_add"), key="pair.add", type="tertiary", on_click=_pair, args=("",))


def _pair(pair: str | None) -> None:
    choice.ask(replace(choice.draft(), pair=pair))


def _typed() -> None:
    """Take over what was typed, unless an example that was clicked in the same moment has emptied the boxes."""
    field = st.session_state
    if "field.text" not in field:
        return
    keeps = choice.draft().pair is not None and _takes_pair(field["field.model"])
    pair = field.get("field.pair") if keeps else None
    choice.typed(Asked(model=field["field.model"], text=field["field.text"], pair=pair))


def _takes_pair(name: str) -> bool:
    entry = _entry(name)
    if entry is not None:
        return entry.pair
    try:
        return doors.report(name).spec.kind == "encoder"
    except core.CoreError:
        return False


def _entry(name: str) -> core.Entry | None:
    return next((entry for entry in core.catalog() if entry.name == name), None)
