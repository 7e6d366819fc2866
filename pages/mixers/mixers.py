"""Mixers: what attention replaced, and what wants to replace it."""

from pages.plumbing import show
from pages.plumbing.mixers import sections

show.heading("mixers")
sections.page()
