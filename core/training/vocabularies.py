"""Tokenizers of whole words, as files that any reader of tokenizer.json understands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from core.training.batches import Marks
from core.training.language.text import ENGLISH_WORD, FRENCH_WORD

SILENT = 3  # padding, start and end stand for no text; the unknown piece, after them, for some
GLUED = ("' ", "'"), (" .", "."), (" ,", ",")
STRAIGHT = normalizers.Replace("\u2019", "'")


def reading(words: Sequence[str]) -> Tokenizer:
    """Return the tokenizer of the language that is read: in small letters, and closed by the end piece."""
    tokenizer = _whole_words(words, ENGLISH_WORD)
    tokenizer.normalizer = normalizers.Sequence([STRAIGHT, normalizers.Lowercase()])
    end = words[Marks().end]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {end}", special_tokens=[(end, Marks().end)])
    return tokenizer


def answering(words: Sequence[str]) -> Tokenizer:
    """Return the tokenizer of the language that is written: an apostrophe ends a word, and nothing stands around."""
    tokenizer = _whole_words(words, FRENCH_WORD)
    tokenizer.normalizer = normalizers.Sequence([STRAIGHT, *_small_beginnings(words)])
    joined = [decoders.Replace(apart, together) for apart, together in GLUED]
    tokenizer.decoder = decoders.Sequence([decoders.WordPiece("##", cleanup=False), decoders.Fuse(), *joined])
    return tokenizer


def _whole_words(words: Sequence[str], word: str) -> Tokenizer:
    unknown = words[Marks().unknown]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(word), "removed", invert=True)
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in words[:SILENT]])
    return tokenizer


def _small_beginnings(words: Sequence[str]) -> Iterator[normalizers.Normalizer]:
    """Yield for each capital what makes it small at the beginning of a text, but for words that are written with it."""
    for capital in map(chr, (*range(ord("A"), ord("Z") + 1), *range(ord("À"), ord("Þ") + 1))):
        kept = "|".join(re.escape(word[1:]) for word in words if word.startswith(capital))
        pattern = rf"\A{capital}(?!(?:{kept})\b)" if kept else rf"\A{capital}"
        yield normalizers.Replace(Regex(pattern), capital.lower())
