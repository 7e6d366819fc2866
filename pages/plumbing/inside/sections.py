"""The Inside page: one section at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

import streamlit as st

import core
from pages.plumbing import choice, words
from pages.plumbing.inside import cell, controls, depth, knobs, projected, writes

SHOWN = {
    "cell": cell.show,
    "projections": projected.show,
    "knobs": knobs.show,
    "depth": depth.show,
    "writes": writes.show,
}


@st.fragment
def page(ref: core.TraceRef) -> None:
    """Show which sections there are and the chosen one; choosing another reruns this and nothing else."""
    with st.container(key="sections"):
        controls.pick("show", label=False)
    _section(ref, controls.now("show"))
    choice.publish()


@st.fragment
def _section(ref: core.TraceRef, name: str) -> None:
    st.subheader(words.t(f"inside.{name}_title"), anchor=False)
    st.markdown(words.t(f"inside.{name}_lead"))
    try:
        SHOWN[name](ref)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", "inside")
    choice.publish()
