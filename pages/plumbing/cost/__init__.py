"""The sections of the Cost page, one module each, and what they share."""

from pages.plumbing.cost import counted, keeping, reading, roofline

SECTIONS = {"counted": counted.show, "roofline": roofline.show, "reading": reading.show, "keeping": keeping.show}
