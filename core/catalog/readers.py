"""Which reader a model has: of text, or of sound or pictures whose settings lie beside its config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.catalog.folders import Source
from core.catalog.pictures import picture_reader
from core.errors import CoreError
from core.inputs import LogMel, PictureReader, SoundReader, TextReader, TranslatingReader
from core.models import Plan, Spec

SOUND = {"sampling_rate": 16_000, "n_fft": 400, "hop_length": 160}
PICTURE = 3
SILENT = {"dither": 0.0, "do_normalize": False, "padding_value": 0.0}


def reader_of(source: Source, plan: Plan) -> TextReader | TranslatingReader | SoundReader | PictureReader:
    """Return what turns the input of a model into samples.

    Raises:
        CoreError: what reading the tokenizer raises; `config_value` for settings of sound or of pictures that are not
            supported.
    """
    spec = plan.spec
    if len(spec.signal) == PICTURE:
        return picture_reader(spec, of_pictures(source), plan.preparation)
    text = TextReader(tokenizer=source.tokenizer(), limit=spec.positions, pairs=plan.pairs)
    if spec.target_pieces:
        return TranslatingReader(source=text, target=answering(source, spec))
    if not spec.signal:
        return text
    return SoundReader(text=text, mel=log_mel(spec, source.beside("preprocessor_config.json")), places=spec.places)


def answering(source: Source, spec: Spec) -> TextReader:
    """Return the reader of answers that are written with a vocabulary of their own.

    Raises:
        CoreError: `config_value` where the folder has no tokenizer of it; what reading it raises.
    """
    if source.target is None:
        raise CoreError("config_value", name="target_pieces", came=spec.target_pieces, allowed=0)
    return TextReader(tokenizer=source.target(), limit=spec.positions)


def of_pictures(source: Source) -> Mapping[str, Any]:
    """Return the settings for pictures; newer folders have them within those of the whole processor."""
    found = source.beside("preprocessor_config.json")
    return found or source.beside("processor_config.json").get("image_processor") or {}


def log_mel(spec: Spec, settings: Mapping[str, Any]) -> LogMel:
    """Return how sound becomes frames: as many and with as many bins as the model was made for.

    Raises:
        CoreError: `config_value`.
    """
    for name, allowed in SILENT.items():
        if (settings.get(name) or 0) != allowed:
            raise CoreError("config_value", name=name, came=settings[name], allowed=allowed)
    bins, frames = spec.signal
    rate, window, hop = (int(settings.get(name, usual)) for name, usual in SOUND.items())
    return LogMel(bins=bins, frames=frames, rate=rate, window=window, hop=hop)
