"""The sections of the Inside page, one module each, and what they share."""

from pages.plumbing.inside import cell, depth, knobs, projected, writes

SECTIONS = {
    "cell": cell.show,
    "projections": projected.show,
    "knobs": knobs.show,
    "depth": depth.show,
    "writes": writes.show,
}
