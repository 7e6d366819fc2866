"""A tokenizer from the lists that a GGUF header carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken, Tokenizer, processors

from core.errors import CoreError
from core.inputs.byte_pairs import RULES, byte_pairs
from core.inputs.marked_pairs import marked_pairs

UNKNOWN, CONTROL, OWN, BYTE = 2, 3, 4, 6
KEY = "tokenizer.ggml"

Metadata = Mapping[str, Any]


def tokenizer_from_gguf(metadata: Metadata) -> Tokenizer:
    """Build the tokenizer: pieces, how they are joined, special pieces, and what is put around a text.

    Raises:
        CoreError: `unknown_tokenizer` for a kind or a splitting rule that is not known; `tokenizer_unreadable` for
            lists that do not fit together.
    """
    kind, rule = metadata.get(f"{KEY}.model"), metadata.get(f"{KEY}.pre")
    known = kind == "llama" or (kind == "gpt2" and rule in RULES)
    if not known or metadata.get(f"{KEY}.remove_extra_whitespaces"):
        raise CoreError("unknown_tokenizer", came=f"{kind} / {rule}", allowed=", ".join(sorted(RULES)))
    try:
        tokenizer = _by_score(metadata) if kind == "llama" else _by_merges(metadata, str(rule))
        _add(tokenizer, metadata)
        around = _around(metadata, begins=kind == "llama" or RULES[str(rule)].begins)
        if around is not None:
            tokenizer.post_processor = around
    except Exception as error:  # the library raises nothing narrower
        raise CoreError("tokenizer_unreadable", name=KEY, why=str(error)[:200]) from error
    return tokenizer


def _by_merges(metadata: Metadata, rule: str) -> Tokenizer:
    merges = [tuple(merge.split(" ", 1)) for merge in metadata[f"{KEY}.merges"]]
    return byte_pairs(_vocabulary(metadata), merges, RULES[rule])


def _by_score(metadata: Metadata) -> Tokenizer:
    vocabulary, scores = _vocabulary(metadata), metadata[f"{KEY}.scores"]
    kinds = metadata[f"{KEY}.token_type"]
    joined = {
        piece: score
        for piece, score, kind in zip(metadata[f"{KEY}.tokens"], scores, kinds, strict=True)
        if kind not in (UNKNOWN, CONTROL, BYTE)
    }
    unknown = metadata.get(f"{KEY}.unknown_token_id", kinds.index(UNKNOWN) if UNKNOWN in kinds else None)
    return marked_pairs(
        vocabulary,
        joined,
        unknown=None if unknown is None else metadata[f"{KEY}.tokens"][unknown],
        begins_with_space=bool(metadata.get(f"{KEY}.add_space_prefix", True)),
        bytes_too=BYTE in kinds,
    )


def _vocabulary(metadata: Metadata) -> dict[str, int]:
    pieces = metadata[f"{KEY}.tokens"]
    vocabulary = {piece: ident for ident, piece in enumerate(pieces)}
    if len(vocabulary) != len(pieces):
        raise ValueError(f"{len(pieces) - len(vocabulary)} pieces twice")
    return vocabulary


def _add(tokenizer: Tokenizer, metadata: Metadata) -> None:
    kinds = list(zip(metadata[f"{KEY}.tokens"], metadata[f"{KEY}.token_type"], strict=True))
    special = [piece for piece, kind in kinds if kind in (CONTROL, UNKNOWN)]
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in special])
    own = [piece for piece, kind in kinds if kind == OWN]
    tokenizer.add_tokens([AddedToken(piece, special=False, normalized=False) for piece in own])


def _around(metadata: Metadata, *, begins: bool) -> Any:
    """Return what puts the begin and the end piece around a text, or None; `begins` says whether the kind of tokenizer
    begins texts unasked."""
    first, last = (_mark(metadata, *mark) for mark in (("bos", begins), ("eos", False)))
    if not first and not last:
        return None
    single = [*(piece for piece, _ in first), "$A", *(piece for piece, _ in last)]
    return processors.TemplateProcessing(single=single, special_tokens=[*first, *last])


def _mark(metadata: Metadata, name: str, unasked: bool) -> list[tuple[str, int]]:
    ident = metadata.get(f"{KEY}.{name}_token_id")
    if ident is None or not metadata.get(f"{KEY}.add_{name}_token", unasked):
        return []
    return [(metadata[f"{KEY}.tokens"][ident], ident)]
