"""Models: what can be looked into, where it came from, and how it was loaded."""

from pages.plumbing import show, tables, uploads

show.heading("models")
tables.models()
uploads.box()
tables.families()
