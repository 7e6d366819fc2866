"""What is translated and by which model: the sentence, typed or put together, and the words that the model does not
know."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from dataclasses import fields as parts_of

import streamlit as st

import core
from pages.plumbing import ask, doors, fields, words
from pages.plumbing.translate import controls, language, saved
from pages.plumbing.translate.language import Composed

PLAIN, GUIDED = "translator", "translator-guided"
LONGEST = 300
ANYWAY, COMPOSED = "translate.anyway", "translate.composed"
KINDS = ("encoder-decoder",)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A sentence and the translator that is to read it."""

    model: str
    text: str


def model() -> str | None:
    """Return the chosen translator; where there is none, say what is missing and return None."""
    known = translators()
    wanted = controls.now("model")
    if wanted in known:
        return wanted
    if known:
        return known[0]
    words.plain(words.t("translate.missing"), "refused", "missing")
    return None


def translators() -> tuple[str, ...]:
    """Return the models that may be asked: the translators of the catalogue, and whatever somebody brought along."""
    other = {entry.name for entry in core.catalog() if entry.kind not in KINDS}
    return tuple(name for name in doors.models() if name not in other)


def have(name: str) -> bool:
    """Tell whether a model can be opened."""
    try:
        doors.report(name)
    except core.CoreError:
        return False
    return name in translators()


def boxes(model: str) -> Asked | None:
    """Show the sentence and the model; return them once there is something to translate."""
    with st.container(key="ask"):
        left, right = st.columns([3, 1], gap="medium")
        with left:
            _sentence()
        with right:
            _model(model)
        _templates()
        composer()
    disclosed(model)
    return _gate(Asked(model=model, text=controls.now("text").strip()))


def disclosed(*names: str) -> None:
    """Say what was done to the guided model, wherever it is shown."""
    if GUIDED in names:
        words.plain(words.t("translate.guided_note"), "note", "guided")


def take(text: str) -> None:
    """Put another sentence into the box."""
    controls.put("text", text)
    controls.put("step", "")
    controls.put("map", "")


def _sentence() -> None:
    fields.typed(
        "translate.text",
        longest=LONGEST,
        then=lambda: take(controls.chosen("text")),
        height=68,
        placeholder=words.t("translate.sentence_hint"),
    )


def _model(now: str) -> None:
    st.session_state["field.translate.model"] = now
    st.selectbox(
        words.t("translate.model"),
        translators(),
        key="field.translate.model",
        format_func=ask.called,
        on_change=lambda: controls.put("model", st.session_state["field.translate.model"]),
    )


def _templates() -> None:
    now = controls.now("text")
    with st.container(key="examples", horizontal=True, gap="small"):
        words.plain(words.t("translate.templates"), "note", "examples")
        for number, pair in enumerate(language.pairs()):
            here = now in (pair.sentence(0), pair.sentence(1))
            name = words.t("translate.template", one=pair.nouns[0], other=pair.nouns[1])
            _template(name, f"pair.{number}", pair.sentence(0), here=here)
    found = language.pair_of(now)
    if found is not None:
        _words_of(*found)


def _words_of(pair: language.Pair, here: int) -> None:
    with st.container(key="variants", horizontal=True, gap="small"):
        for which, word in enumerate(pair.words):
            _template(
                words.t("translate.variant", word=word), f"word.{which}", pair.sentence(which), here=which == here
            )


def _template(name: str, key: str, text: str, *, here: bool) -> None:
    st.button(name, key=key, type="primary" if here else "tertiary", on_click=take, args=(text,))


def composer() -> None:
    """Show a sentence that is put together from the language's own words."""
    with st.expander(words.t("translate.compose"), key="unfold.translate.compose", on_change="rerun") as box:
        if not box.open:
            return
        now = language.fitted(st.session_state.get(COMPOSED, Composed()))
        listed = {
            "subject": language.subjects(now.verb),
            "verb": language.verbs(),
            "thing": language.things(now.verb, now.subject),
            "adjective": language.adjectives(now.subject, now.thing),
        }
        with st.container(key="compose", horizontal=True, gap="small", vertical_alignment="bottom"):
            for name, options in listed.items():
                controls.select(name, options, getattr(now, name), _composed)
            st.button(words.t("translate.take"), key="compose.take", on_click=take, args=(now.sentence,))
        words.plain(now.sentence, "line", "composed")
        words.plain(words.t("translate.compose_note"), "note", "compose")


def _composed() -> None:
    st.session_state[COMPOSED] = Composed(**{one.name: controls.chosen(one.name) for one in parts_of(Composed)})


def _gate(asked: Asked) -> Asked | None:
    """Return what is to be translated, unless it has words that the model does not know and nobody said to go on."""
    if not asked.text:
        words.plain(words.t("translate.blank"), "refused", "blank")
        return None
    sample = doors.read(asked.model, asked.text)
    unknown = [sample.surface(place) for place, kind in enumerate(sample.kinds) if kind == "unknown"]
    if not unknown:
        return asked
    _marked(sample)
    listed = ", ".join(words.quoted(word) for word in dict.fromkeys(unknown))
    words.plain(words.t("translate.unknown", words=listed), "first", "unknown")
    _nearest(asked.model, unknown)
    if st.session_state.get(ANYWAY) == asked:
        words.plain(words.t("translate.unknown_anyway"), "note", "anyway")
        return asked
    st.button(words.t("translate.anyway"), key="anyway", on_click=st.session_state.update, args=({ANYWAY: asked},))
    return None


def _marked(sample: core.Sample) -> None:
    """Show the sentence word by word, those that are not known marked."""
    with st.container(key="marked", horizontal=True, gap="small"):
        for place, kind in enumerate(sample.kinds):
            if kind != "special":
                known = "unknown" if kind == "unknown" else "known"
                words.plain(sample.surface(place) or sample.labels[place], known, str(place))


def _nearest(model: str, unknown: list[str]) -> None:
    known = saved.vocabulary(model)
    near = {word: difflib.get_close_matches(word.lower(), known, n=2, cutoff=0.72) for word in dict.fromkeys(unknown)}
    for number, (word, found) in enumerate(near.items()):
        if found:
            told = words.t("translate.nearest", word=words.quoted(word), words=", ".join(map(words.quoted, found)))
            words.plain(told, "note", f"nearest-{number}")
