"""The browser's half of a translation that is written token by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.plumbing.component import COMPONENTS, joined

FOLDER = COMPONENTS / "writing"

_writing = st.components.v2.component(
    "writing", css=(FOLDER / "writing.css").read_text("utf-8"), js=joined(["pieces", "writing"], FOLDER)
)


def writing(data: Mapping[str, Any], key: str, on_step: Callable[[], None]) -> Any:
    """Mounts a translation; its state `step` is None until the visitor stops at a step.

    The state is {"serial": the serial of the data, "step": a number}, unchecked: it comes from a browser.
    """
    return _writing(data=dict(data), key=key, default={"step": None}, on_step_change=on_step)
