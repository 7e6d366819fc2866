"""The formulas of a section with their sources, one click away."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.plumbing import tables, words


def show(section: str) -> None:
    """Show the formulas of a section when somebody unfolds them."""
    tables.unfolded("cost.formula", partial(_written, section), section)


def _written(section: str) -> None:
    st.latex(words.t(f"cost.formula_{section}"))
    st.markdown(words.t(f"cost.formula_{section}_said"))
