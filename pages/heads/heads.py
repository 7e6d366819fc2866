"""Heads: what every head of every layer looks at."""

from pages.plumbing import ask, show

show.heading("heads")
ask.boxes()
ask.examples()
ref = ask.seen()
if ref is not None:
    show.picture(ref)
