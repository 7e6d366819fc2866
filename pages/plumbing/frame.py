"""The frame around every page: menu, language and style; then the page, and the state written into the address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from streamlit import config

from pages.plumbing import choice, doors, words
from pages.plumbing.operating import door, signin

ROOT = Path(__file__).resolve().parents[2]
BOX = '[data-testid="stDialog"] section >'
SAID = {
    f"{BOX} h2": ("lost", "1.4rem"),
    f"{BOX} div > div": ("lost_note", "1rem"),
    '[data-testid="stExceptionMessage"]': ("fault", "1rem"),
}


def open(pages: Sequence[Any], operated: Any = None) -> None:  # noqa: A001
    """Open the page of the address inside the frame; the page `operated` is there where a code guards it."""
    choice.start()
    st.html(ROOT / "assets" / "style" / "page.css")
    page = st.navigation(_menu(pages, operated), position="top")
    words.switch()
    _say()
    if not signin.passed():
        return
    if _astray(page.url_path):
        words.plain(words.t("frame.no_page"), "refused", "no_page")
    if door.passed("class", doors.engine().settings.code):
        page.run()
        choice.publish()
    signin.foot()


def _say() -> None:
    """Let the box that tells of a lost connection, and what stands in place of a part that failed, speak the visitor's
    language.

    They are Streamlit's, whose words are English and take no others, so the letters give way to what a style puts after
    them.
    """
    rules = "".join(
        f"{place}{{font-size:0!important}}"
        f"{place}::after{{content:{json.dumps(words.t(f'frame.{key}'), ensure_ascii=False)};font-size:{size}}}"
        for place, (key, size) in SAID.items()
    )
    st.html(f"<style>{rules}</style>")


def _astray(section: str) -> bool:
    """Tell whether the address names a page that is not there: then it is the first one that is shown."""
    root = config.get_option("server.baseUrlPath").strip("/")
    asked = urlsplit(st.context.url or "").path.strip("/").removeprefix(root).strip("/")
    return asked not in ("", section)


def _menu(pages: Sequence[Any], operated: Any) -> list[Any]:
    guarded = (operated,) if operated and doors.engine().settings.operator_code else ()
    return [
        st.Page(ROOT / row.file, title=words.t(row.title), icon=row.icon, url_path=row.section, default=row is pages[0])
        for row in (*pages, *guarded)
    ]
