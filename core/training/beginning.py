"""A model that is about to be trained: its config, its tokenizers, and random numbers in every part."""

from __future__ import annotations

from typing import Any

import torch
from tokenizers import Tokenizer

from core.inputs import TextReader, TranslatingReader
from core.models import Model
from core.models.fresh import fresh
from core.models.vaswani import VASWANI
from core.training.batches import Marks
from core.training.language import Vocabulary
from core.training.recipes import Recipe
from core.training.vocabularies import answering, reading


def config_of(recipe: Recipe, vocabulary: Vocabulary, marks: Marks) -> dict[str, Any]:
    """Return the config of what a recipe makes, as it is written into its folder."""
    return {
        "model_type": VASWANI.model_type,
        **recipe.sizes,
        "positions": "sinusoidal",
        "source_pieces": len(vocabulary.english),
        "target_pieces": len(vocabulary.french),
        "pad_token_id": marks.padding,
        "decoder_start_token_id": marks.start,
        "eos_token_id": marks.end,
    }


def tokenizers(vocabulary: Vocabulary) -> tuple[Tokenizer, Tokenizer]:
    """Return the tokenizers of what is read and of what is written."""
    return reading(vocabulary.english), answering(vocabulary.french)


def untrained(name: str, recipe: Recipe, vocabulary: Vocabulary, *, seed: int, device: torch.device) -> Model:
    """Return a model whose numbers are drawn from a seed."""
    plan, network = fresh(VASWANI, config_of(recipe, vocabulary, Marks()), seed=seed, device=device)
    source, target = (TextReader(tokenizer=one, limit=plan.spec.positions) for one in tokenizers(vocabulary))
    reader = TranslatingReader(source=source, target=target)
    return Model(name=name, spec=plan.spec, network=network, reader=reader, report=None)
