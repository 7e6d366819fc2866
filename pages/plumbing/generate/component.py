"""The browser's half of a text that is written token by token: while it is written, and afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.plumbing.component import COMPONENTS, joined

FOLDER = COMPONENTS / "generate"
STYLE = (FOLDER / "written.css").read_text("utf-8")
SHARED = joined(["palette", "dom"]) + joined(["rows", "chosen"], FOLDER)

_written = st.components.v2.component("written", css=STYLE, js=SHARED + joined(["written"], FOLDER))
_live = st.components.v2.component("live", css=STYLE, js=SHARED + joined(["live"], FOLDER))
_news = st.components.v2.component("news", js=joined(["waiting"]) + joined(["news"], FOLDER))


def written(data: Mapping[str, Any], key: str, on_step: Callable[[], None], on_force: Callable[[], None]) -> Any:
    """Mounts a text; its states are None until the visitor does something, and unchecked: they come from a browser.

    `step` is {"serial", "step"}: where the visitor stopped; `force` is {"serial", "step", "ident"}: the token that is
    to stand there instead.
    """
    return _written(
        data=dict(data),
        key=key,
        default={"step": None, "force": None},
        on_step_change=on_step,
        on_force_change=on_force,
    )


def live(data: Mapping[str, Any], key: str) -> None:
    """Mounts a text that is being written; data["serial"] is the name under which news come."""
    _live(data=dict(data), key=key)


def news(data: Mapping[str, Any]) -> None:
    """Mounts, unseen, one more step of the text data["serial"]; its number tells it from all others."""
    _news(data=dict(data))
