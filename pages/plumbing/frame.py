"""The frame around every page: menu, language and style; then the page, and the state written into the address."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.plumbing import choice, doors, words
from pages.plumbing.operating import door, signin

ROOT = Path(__file__).resolve().parents[2]


def open(pages: Sequence[Any], operated: Any = None) -> None:  # noqa: A001
    """Open the page of the address inside the frame; the page `operated` is there where a code guards it."""
    choice.start()
    st.html(ROOT / "assets" / "style" / "page.css")
    page = st.navigation(_menu(pages, operated), position="top")
    words.switch()
    if not signin.passed():
        return
    if door.passed("class", doors.engine().settings.code):
        page.run()
        choice.publish()
    signin.foot()


def _menu(pages: Sequence[Any], operated: Any) -> list[Any]:
    guarded = (operated,) if operated and doors.engine().settings.operator_code else ()
    return [
        st.Page(ROOT / row.file, title=words.t(row.title), icon=row.icon, url_path=row.section, default=row is pages[0])
        for row in (*pages, *guarded)
    ]
