"""The Mixers page: one section at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

import core
from pages.plumbing import choice, words
from pages.plumbing.mixers import around, controls, gates, maps, paths, recall

STYLE = Path(__file__).resolve().parents[3] / "assets" / "style" / "mixers.css"
SHOWN = {"maps": maps.show, "gates": gates.show, "paths": paths.show, "recall": recall.show, "around": around.show}


@st.fragment
def page() -> None:
    """Show which sections there are and the chosen one; choosing another reruns this and nothing else."""
    st.html(STYLE)
    with st.container(key="sections"):
        controls.pick("show", label=False)
    _section(controls.now("show"))
    choice.publish()


@st.fragment
def _section(name: str) -> None:
    st.subheader(words.t(f"mixers.{name}_title"), anchor=False)
    st.markdown(words.t(f"mixers.{name}_lead"))
    try:
        SHOWN[name]()
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "mixers")
    choice.publish()
