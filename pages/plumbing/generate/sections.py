"""The Generate page: one section at a time. The first is no fragment: a click while it writes must end the work, and a
fragment's clicks wait until whatever runs has finished."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

import core
from pages.plumbing import choice, sketching, words
from pages.plumbing.generate import asking, cache, controls, mask, serving, write

STYLE = Path(__file__).resolve().parents[3] / "assets" / "style" / "generate.css"
SHOWN = {"mask": mask.show, "cache": cache.show, "serve": serving.show}


def page(model: str) -> None:
    """Show which sections there are, and the chosen one."""
    st.html(STYLE)
    sketching.code()
    with st.container(key="sections"):
        controls.pick("show", label=False)
    name = controls.now("show")
    st.subheader(words.t(f"generate.{name}_title"), anchor=False)
    st.markdown(words.t(f"generate.{name}_lead"))
    if name == "write":
        _write(model)
    else:
        _section(name)


def _write(model: str) -> None:
    choice.publish()
    try:
        write.show(model)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "generate")


@st.fragment
def _section(name: str) -> None:
    try:
        SHOWN[name](asking.model())
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "generate")
    choice.publish()
