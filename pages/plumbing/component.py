"""The map component: the browser's half of every map, in Streamlit components that meet there."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

COMPONENTS = Path(__file__).resolve().parents[2] / "assets" / "components"
FOLDER = COMPONENTS / "map"

#: The modules of the map, each after those it needs when it is read.
MODULES = (
    *("words", "labels", "units", "frame", "rules", "palette", "raster", "layout", "choice", "dom", "held", "axes"),
    *("looks", "big", "grid", "lines", "strip", "table", "panel", "build", "tip", "actions", "events", "map"),
    *("waiting", "code"),
)

_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(/\*\*.*\*/|/\*\*.*|\*.*)\n", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)


def joined(names: Iterable[str], folder: Path = FOLDER) -> str:
    """One script of several modules: imports, the word export, comment lines and indentation are left out.

    Streamlit takes a component's script as one text. Every import and every comment stands on lines of its own, and no
    two modules use one top-level name, so that leaving these out is all there is to joining them.
    """
    source = "".join((folder / f"{name}.mjs").read_text("utf-8") for name in names)
    for pattern in (_IMPORT, _EXPORT, _COMMENT, _INDENT):
        source = pattern.sub("", source)
    return source


_code = st.components.v2.component("heads_code", js=joined(MODULES))
_map = st.components.v2.component(
    "heads_map", css=(FOLDER / "map.css").read_text("utf-8"), js=joined(["waiting", "door"])
)
_steer = st.components.v2.component("heads_steer", js=joined(["waiting", "steer"]))


def heads_map(
    frame: bytes, key: str, on_choice: Callable[[], None], on_sort: Callable[[], None], on_row: Callable[[], None]
) -> Any:
    """Mounts the map of a frame (core.figures.frame); its state is None until the visitor does something.

    `choice` is a mapping of side, layer, heads, query and key as core.Choice has them, `sort` whether the grid is
    ordered by the chosen cell, `row` the unit whose exact row is wanted where no route answers; all unchecked: they
    come from a browser.
    The code is a component of its own, since Streamlit does not send again what did not change.
    """
    _code(key=f"{key}.code")
    return _map(
        data=frame,
        key=key,
        default={"choice": None, "sort": None, "row": None},
        on_choice_change=on_choice,
        on_sort_change=on_sort,
        on_row_change=on_row,
    )


def heads_steer(steer: Mapping[str, Any], key: str) -> None:
    """Mounts, unseen, the news for the map named steer["map"]: choice, serial, scale, palette, sort, words
    and, where no route answers, exact rows."""
    _steer(data=dict(steer), key=key)
