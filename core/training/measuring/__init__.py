"""What a trained translator can do, measured on sentences that training never showed."""

from __future__ import annotations

from typing import Any

from core.changes import Change
from core.models import Model
from core.training.language import held_out, join_french
from core.training.language.tables import table
from core.training.measuring.accuracy import figures, held_out_figures, minimal_figures
from core.training.measuring.answering import Answer, answers
from core.training.measuring.confidence import confidence_figures
from core.training.measuring.looking import head_figures, maps, telling

FAMOUS: tuple[str, ...] = tuple(table("famous"))
MANY, SOME, FEW = 1500, 400, 200
SEED = 0


def measured(model: Model, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return all figures of a finished model: what is right, where its heads look, when it is unsure."""
    heads = head_figures(model, seed=SEED, count=FEW, changes=changes)
    return {
        "seed": SEED,
        "held_out": held_out_figures(model, seed=SEED, count=MANY, changes=changes),
        "minimal_pairs": minimal_figures(model, seed=SEED, count=FEW, changes=changes),
        "famous": famous(model, changes),
        "maps": maps(model, *next(iter(table("famous").items())), changes),
        "heads": heads,
        "telling": {looks: telling(heads[looks]) for looks in ("it", "adjective")},
        "confidence": confidence_figures(model, seed=SEED, count=MANY, changes=changes),
    }


def glanced(model: Model, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return the few figures that are told of every snapshot."""
    heads = head_figures(model, seed=SEED, count=SOME // 4, changes=changes)
    return {
        "held_out": figures(model, held_out(SEED, SOME), changes),
        "minimal_pairs": minimal_figures(model, seed=SEED, count=SOME // 4, changes=changes),
        "famous": famous(model, changes),
        "heads": {looks: heads[looks] for looks in ("it", "adjective")},
    }


def famous(model: Model, changes: tuple[Change, ...] = ()) -> list[str]:
    """Return how the two sentences about the animal and the street are translated."""
    return [join_french(answer.words) for answer in answers(model, FAMOUS, changes)]


__all__ = ["FAMOUS", "Answer", "answers", "famous", "glanced", "measured", "telling"]
