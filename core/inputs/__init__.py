"""Inputs: what a person gives becomes a Sample."""

from __future__ import annotations

from typing import Any

from core.errors import CoreError
from core.inputs.gguf_tokenizer import tokenizer_from_gguf
from core.inputs.sample import Batch, Note, Sample
from core.inputs.text import TextReader
from core.inputs.tokenizer_files import read_tokenizer


def read(
    model: Any,
    text: str | None = None,
    pair: str | None = None,
    target: str | None = None,
    image: object = None,
    sound: object = None,
) -> Sample:
    """Turn what a person gives into a Sample for `model`.

    Raises:
        CoreError: `input_kind` for a kind of input that the model does not take; what the reader raises.
    """
    if text is None or target is not None or image is not None or sound is not None:
        raise CoreError("input_kind", allowed="text")
    sample: Sample = model.reader.read(text, pair)
    return sample


__all__ = ["Batch", "Note", "Sample", "TextReader", "read", "read_tokenizer", "tokenizer_from_gguf"]
