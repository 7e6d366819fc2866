"""Inside: one cell, from the two tokens to the output, and what happens when something on the way is altered."""

from pages.plumbing import ask, show
from pages.plumbing.inside import sections

show.heading("inside")
ask.boxes()
ref = ask.seen()
if ref is not None:
    sections.page(ref)
