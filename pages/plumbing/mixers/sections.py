"""The Mixers page: one section at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.plumbing import parted
from pages.plumbing.mixers import around, gates, maps, paths, recall

STYLE = Path(__file__).resolve().parents[3] / "assets" / "style" / "mixers.css"
SHOWN = {"maps": maps.show, "gates": gates.show, "paths": paths.show, "recall": recall.show, "around": around.show}


def page() -> None:
    """Show which sections there are, and the chosen one."""
    st.html(STYLE)
    parted.show("mixers", SHOWN)
