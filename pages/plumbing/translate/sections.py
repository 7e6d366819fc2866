"""The Translate page: one section at a time, each rerun alone when one of its options changes."""

from __future__ import annotations

from pages.plumbing import parted, words
from pages.plumbing.translate import compare, learn, parts, wheel, write

SHOWN = {"write": write.show, "compare": compare.show, "wheel": wheel.show, "learn": learn.show, "parts": parts.show}


def page(model: str) -> None:
    """Show which sections there are, and the chosen one."""
    words.plain(words.t("translate.language"), "note", "language")
    parted.show("translate", SHOWN, model)
