"""The browser's half of a text that was written token by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.plumbing.component import COMPONENTS, joined

FOLDER = COMPONENTS / "generate"

_written = st.components.v2.component(
    "written", css=(FOLDER / "written.css").read_text("utf-8"), js=joined(["chosen", "written"], FOLDER)
)


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
