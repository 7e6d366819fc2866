"""Generate: a model writes, one token after another, and what it keeps so that it need not read everything again."""

from pages.plumbing import show
from pages.plumbing.generate import asking, sections

show.heading("generate")
sections.page(asking.model())
