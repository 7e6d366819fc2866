"""The made-up language as numbers: pairs of sentences become pairs of ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.training.batches import Marks, Numbered
from core.training.language import Pair, Vocabulary, split_english, split_french


def numbered(pairs: Iterable[Pair], vocabulary: Vocabulary, marks: Marks) -> list[Numbered]:
    """Return pairs in ids; a word that the vocabulary does not have becomes the unknown piece."""
    english, french = _places(vocabulary.english), _places(vocabulary.french)
    return [
        Numbered(
            source=(*_ids(split_english(pair.english), english, marks), marks.end),
            target=_ids(split_french(pair.french), french, marks),
            it=pair.it,
            antecedent=pair.antecedent,
        )
        for pair in pairs
    ]


def _places(words: Sequence[str]) -> Mapping[str, int]:
    return {word: number for number, word in enumerate(words)}


def _ids(words: Sequence[str], places: Mapping[str, int], marks: Marks) -> tuple[int, ...]:
    return tuple(places.get(word, marks.unknown) for word in words)
