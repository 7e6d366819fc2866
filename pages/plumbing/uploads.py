"""A model folder of a visitor's own: brought along, opened for this visit only, and deleted with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit import config

import core
from pages.plumbing import doors, visits, words

ENDINGS = ("json", "txt", "safetensors", "gguf")
BOX = '.st-key-bring [data-testid="stFileUploader"]'
PLACES = {
    "upload_choose": '[data-testid="stBaseButton-secondary"] p',
    "upload_limits": '[data-testid="stFileUploaderDropzoneInstructions"] span',
    "upload_turned_down": '[role="alert"]',
}
SEEN = (
    "position:static!important;clip:auto!important;width:auto!important;height:auto!important;margin:0 .5rem!important"
)


@dataclass(kw_only=True)
class Kept:
    """What a visit has brought along, and the engine that keeps it."""

    engine: core.engine.Engine
    names: list[str] = field(default_factory=list)

    def give_up(self) -> None:
        """Delete everything."""
        while self.names:
            self.engine.give_up(self.names.pop())


def box() -> None:
    """Show where a folder can be brought along, where the operator allows it."""
    together = doors.engine().settings.upload_mib
    if not together:
        return
    st.subheader(words.t("models.upload"), anchor=False)
    each = min(together, config.get_option("server.maxUploadSize"))
    words.plain(words.t("models.upload_note", together=together, each=each), "note", "upload")
    with st.container(key="bring"):
        _say(each)
        files = st.file_uploader(
            words.t("models.upload_files"),
            type=list(ENDINGS),
            accept_multiple_files=True,
            max_upload_size=each,
            key=f"upload.{_round()}",
        )
    left, right = st.columns(2)
    if left.button(words.t("models.upload_open"), key="upload.open", disabled=not files):
        _open(files)
    if doors.uploaded() and right.button(words.t("models.upload_delete"), key="upload.delete"):
        _kept().give_up()
        st.rerun()
    if "upload_refused" in st.session_state:
        words.plain(words.error(st.session_state["upload_refused"]), "refused", "upload")


def _say(each: int) -> None:
    """Let the box speak the visitor's language: Streamlit's own words for it are English and take no others, so the
    letters give way to what a style puts after them."""
    kinds = ", ".join(f".{ending}" for ending in ENDINGS)
    told = {place: words.t(f"models.{key}", each=each, kinds=kinds) for key, place in PLACES.items()}
    rules = [f"{BOX} {PLACES['upload_turned_down']}{{{SEEN}}}"]
    for place, text in told.items():
        said = json.dumps(text, ensure_ascii=False)
        rules += [
            f"{BOX} {place}{{font-size:0!important}}",
            f"{BOX} {place}::after{{content:{said};font-size:.875rem}}",
        ]
    st.html(f"<style>{''.join(rules)}</style>")


def _open(files: list[Any]) -> None:
    """Open what came; it takes the place of what this visit brought before. The files are not held twice."""
    kept = _kept()
    try:
        with st.spinner(words.t("models.upload_opening")):
            name = kept.engine.take([(file.name, file.getvalue()) for file in files])
    except core.CoreError as refused:
        st.session_state["upload_refused"] = refused
    else:
        kept.give_up()
        kept.names.append(name)
        st.session_state[doors.UPLOADED] = name
        visits.note(upload=name)
        st.session_state.pop("upload_refused", None)
    st.session_state["upload_round"] = _round() + 1
    st.rerun()


def _round() -> int:
    """Return a number that rises with every upload, so that the box is empty again."""
    number: int = st.session_state.get("upload_round", 0)
    return number


@st.cache_resource(scope="session", show_spinner=False, on_release=Kept.give_up)
def _kept() -> Kept:
    """Return what this visit holds; Streamlit releases it when the visit ends or loses its connection."""
    return Kept(engine=doors.engine())
