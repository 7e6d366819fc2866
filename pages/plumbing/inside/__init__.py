"""The sections of the Inside page, one module each, and what they share."""

from pathlib import Path

import streamlit as st

from pages.plumbing import sketching
from pages.plumbing.inside import cell, depth, knobs, projected, writes

STYLE = Path(__file__).resolve().parents[3] / "assets" / "style" / "inside.css"
SECTIONS = {
    "cell": cell.show,
    "projections": projected.show,
    "knobs": knobs.show,
    "depth": depth.show,
    "writes": writes.show,
}


def begin() -> None:
    """Bring along the look of the sections and what draws their pictures, which no choice sends again."""
    st.html(STYLE)
    sketching.code()
