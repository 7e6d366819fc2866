"""Decoding: a decoder writes one piece after another, each step reusing the keys and values of the steps before.

`generate` writes one text, `together` several at once, `search` keeps several answers in view and takes the best.
"""

from core.decoding.beams import Node, Tree, search, searching
from core.decoding.choosing import GREEDY, Choosing
from core.decoding.entering import begins, encoded, entering, reading
from core.decoding.steps import Step, branch
from core.decoding.stitching import stitched
from core.decoding.writer import windows
from core.decoding.writing import generate, together

__all__ = [
    "GREEDY",
    "Choosing",
    "Node",
    "Step",
    "Tree",
    "begins",
    "branch",
    "encoded",
    "entering",
    "generate",
    "reading",
    "search",
    "searching",
    "stitched",
    "together",
    "windows",
]
