"""The frame around every page: menu, language and style; then the page, and the state written into the address."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.plumbing import choice, words

ROOT = Path(__file__).resolve().parents[2]


def open(pages: Sequence[Any]) -> None:  # noqa: A001
    """Open the page of the address inside the frame."""
    choice.start()
    st.html(ROOT / "assets" / "style" / "page.css")
    page = st.navigation(_menu(pages), position="top")
    words.switch()
    page.run()
    choice.publish()


def _menu(pages: Sequence[Any]) -> list[Any]:
    return [
        st.Page(ROOT / row.file, title=words.t(row.title), icon=row.icon, url_path=row.section, default=row is pages[0])
        for row in pages
    ]
