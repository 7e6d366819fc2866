"""Labels that Plotly draws as they are: it reads a small HTML in every label, and turns some colours and dollars into
other things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

ISOLATE, END = "\u2068", "\u2069"
SHORT = 24

# & first, so that the entities made here are not escaped again
_LITERAL = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("#", "&#35;"), ("$", "&#36;"))
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_VISIBLE = (("\n", "↵"), ("\t", "⇥"), ("\u00a0", "⍽"), ("\r", "␍"))


def literal(text: str) -> str:
    """Return a text that Plotly shows letter by letter, isolated so that its direction stays its own; ∅ for nothing."""
    text = text.encode("utf-8", "replace").decode()
    for given, shown in _LITERAL + _VISIBLE:
        text = text.replace(given, shown)
    if text.strip() != text:
        text = text.replace(" ", "·")
    return f"{ISOLATE}{text}{END}" if text else "∅"


def short(text: str, length: int = SHORT) -> str:
    """Return a long text with its middle left out."""
    half = (length - 1) // 2
    return text if len(text) <= length else f"{text[:half]}…{text[-half:]}"


def occurrences(labels: Sequence[str]) -> tuple[int, ...]:
    """Return which of its like each label is, counted from 1; 0 where a label has no like."""
    counts, seen, found = Counter(labels), Counter[str](), []
    for label in labels:
        seen[label] += 1
        found.append(seen[label] if counts[label] > 1 else 0)
    return tuple(found)


def below(number: int) -> str:
    """Write which of its like a label is as small digits; nothing for 0."""
    return str(number).translate(_BELOW) if number else ""


def marked(labels: Sequence[str]) -> list[str]:
    """Return labels told apart: each that has its like with its number, small."""
    return [f"{label}{below(mark)}" for label, mark in zip(labels, occurrences(labels), strict=True)]
