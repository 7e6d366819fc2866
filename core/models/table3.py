"""The models of table 3 of Vaswani et al. 2017, by name: the base model, its variations (A) to (E), and the big one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import CoreError
from core.models.plan import Config

PIECES = 37_000  # section 5.1: a source and target vocabulary of about 37000 tokens
TRAINED_LENGTH = 1024  # for learned positions the paper names no longest text


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: what differs from the base model, and the millions of parameters that the paper prints, where it does.

    `dropout` and `smoothing` are those of training (sections 5.4), `steps` how long it took.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    printed: int | None = None
    dropout: float = 0.1
    smoothing: float = 0.1
    steps: int = 100_000


TABLE3 = {
    "base": Row(printed=65),
    "A-1": Row(changes={"heads": 1, "d_k": 512, "d_v": 512}),
    "A-4": Row(changes={"heads": 4, "d_k": 128, "d_v": 128}),
    "A-16": Row(changes={"heads": 16, "d_k": 32, "d_v": 32}),
    "A-32": Row(changes={"heads": 32, "d_k": 16, "d_v": 16}),
    "B-16": Row(changes={"d_k": 16}, printed=58),
    "B-32": Row(changes={"d_k": 32}, printed=60),
    "C-2-layers": Row(changes={"encoder_layers": 2, "decoder_layers": 2}, printed=36),
    "C-4-layers": Row(changes={"encoder_layers": 4, "decoder_layers": 4}, printed=50),
    "C-8-layers": Row(changes={"encoder_layers": 8, "decoder_layers": 8}, printed=80),
    "C-256-wide": Row(changes={"d_model": 256, "d_k": 32, "d_v": 32}, printed=28),
    "C-1024-wide": Row(changes={"d_model": 1024, "d_k": 128, "d_v": 128}, printed=168),
    "C-1024-inner": Row(changes={"d_ff": 1024}, printed=53),
    "C-4096-inner": Row(changes={"d_ff": 4096}, printed=90),
    "D-dropout-0": Row(dropout=0.0),
    "D-dropout-2": Row(dropout=0.2),
    "D-smoothing-0": Row(smoothing=0.0),
    "D-smoothing-2": Row(smoothing=0.2),
    "E": Row(changes={"positions": "learned", "longest": TRAINED_LENGTH}),
    "big": Row(changes={"d_model": 1024, "d_ff": 4096, "heads": 16}, printed=213, dropout=0.3, steps=300_000),
}


def configuration(name: str, pieces: int = PIECES) -> Config:
    """Return the config of a row of table 3, with one vocabulary of `pieces` for both languages.

    Raises:
        CoreError: `unknown_choice`.
    """
    if name not in TABLE3:
        raise CoreError("unknown_choice", came=name, allowed=", ".join(TABLE3))
    return {"model_type": "vaswani", "source_pieces": pieces, **TABLE3[name].changes}
