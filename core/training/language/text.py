"""From text to words and back: English in small letters, French split after its apostrophes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.training.language.tables import nouns

ENGLISH_WORD = r"<unk>|\w+(?:'\w+)*|[^\w\s]"
FRENCH_WORD = r"<unk>|\w+'|\w+|[^\w\s]"


def split_english(text: str) -> tuple[str, ...]:
    """Return the words of an English sentence: small letters, "didn't" in one piece, marks alone."""
    return tuple(re.findall(ENGLISH_WORD, _straight(text).lower()))


def split_french(text: str) -> tuple[str, ...]:
    """Return the words of a French sentence: "l'animal" in two pieces, the first small unless it is a name."""
    words = re.findall(FRENCH_WORD, _straight(text))
    if words and words[0].lower() not in nouns():
        words[0] = words[0].lower()
    return tuple(words)


def join_french(words: Sequence[str]) -> str:
    """Return French words as a sentence: nothing after an apostrophe or before a mark, a capital in front."""
    return _sentence(re.sub(r"(?<=') ", "", " ".join(words)))


def join_english(words: Sequence[str]) -> str:
    """Return English words as a sentence: names and the first word with a capital."""
    return _sentence(" ".join(word.capitalize() if _is_name(word) else word for word in words))


def _sentence(text: str) -> str:
    text = re.sub(r" (?=[.,])", "", text)
    return text[:1].upper() + text[1:]


def _is_name(word: str) -> bool:
    return word in nouns() and nouns()[word].is_name


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")
