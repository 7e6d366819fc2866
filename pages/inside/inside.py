"""Inside: one cell, from the two tokens to the output, and what happens when something on the way is altered."""

from pages.plumbing import ask, parted, show
from pages.plumbing.inside import SECTIONS, begin

show.heading("inside")
begin()
ask.boxes()
ref = ask.seen()
if ref is not None:
    parted.show("inside", SECTIONS, ref)
