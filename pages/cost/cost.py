"""Cost: twice the text, four times the matrix, and what that means on a chip and on a bill."""

from pages.plumbing import ask, parted, show
from pages.plumbing.cost import SECTIONS, measured

show.heading("cost")
ask.boxes()
ref = ask.seen()
if ref is not None:
    parted.show("cost", SECTIONS, ref)
measured.keep_going()
