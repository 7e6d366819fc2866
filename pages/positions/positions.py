"""Positions: how a model that sees everything at once knows what comes first."""

from pages.plumbing import ask, show
from pages.plumbing.positions import sections

show.heading("positions")
ask.boxes()
ref = ask.seen()
if ref is not None:
    sections.page(ref)
