"""A made-up language of some four hundred English words and their French, in which "it" has to be understood.

French says il or elle for it, so that a translator must find out which noun is meant; nothing else tells.
"""

from core.training.language.drawn import held_out, minimal_pairs, pairs
from core.training.language.pair import Pair
from core.training.language.text import (
    ENGLISH_WORD,
    FRENCH_WORD,
    join_english,
    join_french,
    split_english,
    split_french,
)
from core.training.language.vocabulary import SPECIALS, Vocabulary, vocabulary

__all__ = [
    "ENGLISH_WORD",
    "FRENCH_WORD",
    "SPECIALS",
    "Pair",
    "Vocabulary",
    "held_out",
    "join_english",
    "join_french",
    "minimal_pairs",
    "pairs",
    "split_english",
    "split_french",
    "vocabulary",
]
