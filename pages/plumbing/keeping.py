"""A button under a chart that keeps it as SVG: the chart's own code in the browser draws the file."""

from __future__ import annotations

import streamlit as st

from pages.plumbing import words
from pages.plumbing.component import COMPONENTS, joined

HERE = COMPONENTS / "chart"

_keep = st.components.v2.component("chart_keep", css=(HERE / "keep.css").read_text("utf-8"), js=joined(["keep"], HERE))


def picture(name: str) -> None:
    """Show the button of the chart of that name."""
    _keep(
        data={"label": words.t("sketch.save"), "chart": f"chart-{name}".replace(".", "-")},
        key=f"svg.{name}",
        width="content",
        height="content",
    )
