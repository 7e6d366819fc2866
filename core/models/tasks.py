"""Heads of classes: which of them a file ships, for the whole text or for every piece."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from core.blocks import ClassHead
from core.blocks.heads import Pick, everybody, first, last
from core.models.plan import Config

PIECES = ("ForTokenClassification", "ForQuestionAnswering")
TEXTS = ("ForSequenceClassification",)
WHOLE = ("pooler.", "pre_classifier.", "classifier.dense.", "classifier.out_proj.", "head.dense.")
SCORES = dict.fromkeys(("score", "classifier", "qa_outputs"), "output.classes")


def score_head(config: Config, stored: frozenset[str], width: int) -> ClassHead | None:
    """Return the head of classes that a decoder's file ships, or None.

    Rows without a bias speak of the whole text, which the last position has read; rows with one of every piece.
    """
    found = {name.rpartition(".")[2] for name in stored if name.startswith(tuple(f"{start}." for start in SCORES))}
    if not found:
        return None
    of_all = "bias" in found
    return ClassHead(width, classes(config), pick=everybody if of_all else last, bias=of_all)


def class_head(
    config: Config,
    stored: frozenset[str],
    width: int,
    *,
    before: Callable[[], nn.Module],
    pick: Pick = first,
    both: bool = False,
) -> ClassHead | None:
    """Return the head of classes that a file ships, or None.

    `before` makes what stands between the text's own row and its classes; with `both` it stands before the classes of
    pieces too.
    """
    if not any(name.startswith(("classifier.", "qa_outputs.")) for name in stored):
        return None
    if of_pieces(config, stored):
        return ClassHead(width, classes(config), pick=everybody, before=before() if both else None)
    return ClassHead(width, classes(config), pick=pick, before=before())


def of_pieces(config: Config, stored: frozenset[str]) -> bool:
    """Return whether the classes are those of every piece; where the config does not say, the names in the file do."""
    named = " ".join(config.get("architectures") or ())
    if any(ending in named for ending in (*PIECES, *TEXTS)):
        return any(ending in named for ending in PIECES)
    return not any(part in name for name in stored for part in WHOLE)


def classes(config: Config) -> int:
    """Return how many classes there are; published configs leave the usual two unsaid."""
    return len(config["id2label"]) if config.get("id2label") else int(config.get("num_labels", 2))
