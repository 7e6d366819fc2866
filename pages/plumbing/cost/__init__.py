"""The sections of the Cost page, one module each, and what they share."""

from pages.plumbing.cost import counted, keeping, measured, measured_peers, reading, roofline

SECTIONS = {
    "counted": counted.show,
    "measured": measured.show,
    "peers": measured_peers.show,
    "roofline": roofline.show,
    "reading": reading.show,
    "keeping": keeping.show,
}
