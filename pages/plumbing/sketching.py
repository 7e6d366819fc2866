"""The browser's half of pictures that are drawn as soon as their numbers come."""

from __future__ import annotations

import streamlit as st

from pages.plumbing.component import COMPONENTS, joined

HERE = COMPONENTS / "sketch"
SHARED = joined(["waiting"])

#: The modules of a picture, each after those it needs when it is read.
MODULES = (
    *("numbers", "bars", "parts", "packed", "columns", "cells", "rods", "layers", "blocks", "tree"),
    *("keeping", "picture", "table", "sketch", "code"),
)

_code = st.components.v2.component(
    "sketch_code",
    js=joined(["waiting", "labels"]) + joined(MODULES, HERE),
)
_sketch = st.components.v2.component(
    "sketch",
    css=(HERE / "sketch.css").read_text("utf-8"),
    js=SHARED + joined(["door"], HERE),
    isolate_styles=False,
)


def code() -> None:
    """Mounts, unseen, what draws pictures: once on a page that has some, outside whatever a choice runs again."""
    _code(key="sketch.code")


def sketch(given: bytes, key: str) -> None:
    """Mounts a picture of these bytes (core.figures.Sketch.bytes)."""
    _sketch(data=given, key=key)
