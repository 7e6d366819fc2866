"""The Translate page: one section at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

import streamlit as st

import core
from pages.plumbing import choice, words
from pages.plumbing.translate import compare, controls, learn, parts, wheel, write

SHOWN = {"write": write.show, "compare": compare.show, "wheel": wheel.show, "learn": learn.show, "parts": parts.show}


@st.fragment
def page(model: str) -> None:
    """Show which sections there are and the chosen one; choosing another reruns this and nothing else."""
    words.plain(words.t("translate.language"), "note", "language")
    with st.container(key="sections"):
        controls.pick("show", label=False)
    _section(model, controls.now("show"))
    choice.publish()


@st.fragment
def _section(model: str, name: str) -> None:
    st.subheader(words.t(f"translate.{name}_title"), anchor=False)
    st.markdown(words.t(f"translate.{name}_lead"))
    try:
        SHOWN[name](model)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "translate")
    choice.publish()
