"""Positions: how a model that sees everything at once knows what comes first."""

from pages.plumbing import ask, parted, show
from pages.plumbing.positions import SECTIONS

show.heading("positions")
ask.boxes()
ref = ask.seen()
if ref is not None:
    parted.show("positions", SECTIONS, ref)
