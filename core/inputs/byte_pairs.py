"""A byte-level BPE tokenizer from the lists that a GGUF header carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from core.errors import CoreError

CONTROL = 3
GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _digits_apart() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), GPT2])


PRE_TOKENIZERS = {"smollm": _digits_apart, "gpt-2": lambda: GPT2}


def tokenizer_from_gguf(metadata: Mapping[str, Any]) -> Tokenizer:
    """Build the tokenizer: pieces, merges, special pieces, and the splitting rule that the header names.

    Raises:
        CoreError: `unknown_tokenizer` for a model or a splitting rule that is not known.
    """
    kind, rule = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.pre")
    if kind != "gpt2" or rule not in PRE_TOKENIZERS:
        raise CoreError("unknown_tokenizer", came=f"{kind} / {rule}", allowed=", ".join(PRE_TOKENIZERS))
    pieces = metadata["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in metadata["tokenizer.ggml.merges"]]
    vocabulary = {piece: ident for ident, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=False))
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[rule]()
    tokenizer.decoder = decoders.ByteLevel()
    special = [p for p, kind in zip(pieces, metadata["tokenizer.ggml.token_type"], strict=True) if kind == CONTROL]
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in special])
    return tokenizer
