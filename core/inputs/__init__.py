"""Inputs: what a person gives becomes a Sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.errors import CoreError
from core.inputs.answers import answer
from core.inputs.gguf_tokenizer import tokenizer_from_gguf
from core.inputs.mel import LogMel
from core.inputs.pictures import PictureReader, Preparation
from core.inputs.sample import Batch, Note, Sample
from core.inputs.sound import SoundReader
from core.inputs.text import TextReader
from core.inputs.tokenizer_files import read_answering, read_tokenizer
from core.inputs.translating import TranslatingReader


def read(
    model: Any,
    text: str | None = None,
    pair: str | None = None,
    target: str | None = None,
    image: object = None,
    sound: object = None,
) -> Sample:
    """Turn what a person gives into a Sample for `model`; `target` is what an encoder-decoder is to have answered.

    A sound is an array of samples at the model's rate, or a WAV file (its path or bytes); an image a picture of PIL, an
    array of bytes [row, column, colour], or a file.

    Raises:
        CoreError: `input_kind` for a kind of input that the model does not take, `target_not_taken` for a target where
            nothing reads it; what the reader raises.
    """
    came = {kind: value for kind, value in (("text", text), ("image", image), ("sound", sound)) if value is not None}
    if len(came) != 1 or not came.keys() <= set(model.takes):
        raise CoreError("input_kind", allowed=", ".join(model.takes))
    kind, value = next(iter(came.items()))
    reader = model.taking(kind).reader
    sample: Sample = reader.read(value, *([] if pair is None else [pair]))
    if target is None:
        return sample
    if {"encoder", "decoder"} - set(model.sides):
        raise CoreError("target_not_taken", name=model.name)
    return replace(sample, target=answer(reader, target, model.spec.start, model.spec.positions))


__all__ = [
    "Batch",
    "LogMel",
    "Note",
    "PictureReader",
    "Preparation",
    "Sample",
    "SoundReader",
    "TextReader",
    "TranslatingReader",
    "read",
    "read_answering",
    "read_tokenizer",
    "tokenizer_from_gguf",
]
