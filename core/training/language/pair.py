"""One sentence in both languages, and where in it the words stand that one wants to look at."""

from __future__ import annotations

from dataclasses import dataclass

from core.training.language.french import elide
from core.training.language.phrases import Said
from core.training.language.text import join_english, join_french


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """An English sentence and its French; places count the words of `split_english` and `split_french` from 0.

    `nouns` in the order in which they stand, in the singular. `antecedent` is the noun that `it` (or he, she, they)
    means, `rival` the other one, `adjective` what decides between them; None where the sentence has no pronoun.
    """

    english: str
    french: str
    kind: str
    nouns: tuple[str, ...]
    antecedent: int | None = None
    rival: int | None = None
    it: int | None = None
    adjective: int | None = None
    french_pronoun: int | None = None


def pair(words: Said, kind: str, nouns: tuple[str, ...], **places: int) -> Pair:
    """Return what was said as a pair of sentences with their full stops."""
    return Pair(
        english=join_english((*words.english, ".")),
        french=join_french(elide((*words.french, "."))),
        kind=kind,
        nouns=nouns,
        **places,
    )
