"""BPE over characters with ▁ for spaces (Kudo and Richardson 2018): the pair whose joined piece scores best is joined
first."""

from __future__ import annotations

from collections.abc import Mapping

from tokenizers import Tokenizer, decoders, models, normalizers

SPACE = "▁"


def marked_pairs(
    vocabulary: Mapping[str, int],
    scores: Mapping[str, float],
    *,
    unknown: str | None,
    begins_with_space: bool,
    bytes_too: bool,
) -> Tokenizer:
    """Return the tokenizer of a vocabulary and the scores of those of its pieces that joining may make.

    `bytes_too` spells what the vocabulary lacks as bytes, <0x00> .. <0xFF>.
    """
    merges = pairs(scores)
    model = models.BPE(vocab=dict(vocabulary), merges=merges, unk_token=unknown, fuse_unk=True, byte_fallback=bytes_too)
    tokenizer = Tokenizer(model)
    spaces = normalizers.Replace(" ", SPACE)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(SPACE), spaces]) if begins_with_space else spaces
    steps = [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if begins_with_space else steps)
    return tokenizer


def pairs(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return every pair of pieces that makes a piece, best piece first; of one piece the pair with the longer
    beginning."""
    found = [
        (-score, -cut, piece[:cut], piece[cut:])
        for piece, score in scores.items()
        for cut in range(1, len(piece))
        if piece[:cut] in scores and piece[cut:] in scores
    ]
    found.sort(key=lambda pair: pair[:2])
    return [(first, second) for _, _, first, second in found]
