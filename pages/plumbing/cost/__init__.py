"""The sections of the Cost page, one module each, and what they share."""

from pages.plumbing.cost import counted

SECTIONS = {"counted": counted.show}
