"""The sections of the Positions page, one module each, and what they share."""

from pages.plumbing.positions import blind, inside, linear, matrix, swap

SECTIONS = {
    "matrix": matrix.show,
    "linear": linear.show,
    "blind": blind.show,
    "schemes": swap.show,
    "heads": inside.show,
}
