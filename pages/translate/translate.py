"""Translate: an encoder-decoder writes a translation, token by token, and shows what it looks at while it does."""

from pages.plumbing import show
from pages.plumbing.translate import asking, sections

show.heading("translate")
model = asking.model()
if model is not None:
    sections.page(model)
