"""Byte-level BPE (Radford et al. 2019, section 2.2): a text is split by a rule, then pairs of bytes are joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{numbers}"
    r"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CASED = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How one group of models splits a text: the expression whose matches are pieces of their own (None: that of GPT-2,
    after every digit where `digits` is set).

    `whole` takes a match that is in the vocabulary as it is; `begins` puts the begin piece first unasked; `composed`
    joins letters with their accents beforehand.
    """

    expression: str | None = None
    digits: bool = False
    whole: bool = False
    begins: bool = False
    composed: bool = False


RULES = {
    "gpt-2": Rule(),
    "smollm": Rule(digits=True),
    "starcoder": Rule(digits=True),
    "refact": Rule(digits=True),
    "llama-bpe": Rule(expression=WORDS.format(numbers=r"\p{N}{1,3}"), whole=True, begins=True),
    "qwen2": Rule(expression=WORDS.format(numbers=r"\p{N}"), composed=True),
    "tekken": Rule(expression=CASED, whole=True, begins=True),
}


def byte_pairs(vocabulary: Mapping[str, int], merges: Sequence[Any], rule: Rule) -> Tokenizer:
    """Return the tokenizer of a vocabulary in the byte alphabet and its merges, best first."""
    tokenizer = Tokenizer(models.BPE(vocab=dict(vocabulary), merges=list(merges), ignore_merges=rule.whole))
    tokenizer.pre_tokenizer = _splitter(rule)
    tokenizer.decoder = decoders.ByteLevel()
    if rule.composed:
        tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def _splitter(rule: Rule) -> Any:
    if rule.expression:
        split = pre_tokenizers.Split(Regex(rule.expression), "isolated")
        return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    words = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), words]) if rule.digits else words
