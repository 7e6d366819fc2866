"""A page in sections: one at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

import core
from pages.plumbing import choice, fields, words

Sections = Mapping[str, Callable[..., None]]


@st.fragment
def show(page: str, sections: Sections, *given: Any) -> None:
    """Show which sections there are and the chosen one, which gets what is `given`; choosing another reruns this and
    nothing else."""
    with st.container(key="sections"):
        fields.pick(f"{page}.show", label=False)
    name = fields.now(f"{page}.show")
    part(page, _section, page, name, sections[name], given)
    choice.publish()


@st.fragment
def part(page: str, show: Callable[..., None], *given: Any) -> None:
    """Show a part of a section that one of its own options reruns alone; what is refused is said."""
    try:
        show(*given)
    except core.CoreError as refused:
        words.plain(words.error(refused), "refused", page)
    choice.publish()


def _section(page: str, name: str, show: Callable[..., None], given: tuple[Any, ...]) -> None:
    st.subheader(words.t(f"{page}.{name}_title"), anchor=False)
    st.markdown(words.t(f"{page}.{name}_lead"))
    show(*given)
