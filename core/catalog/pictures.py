"""How a published folder says that pictures become numbers: preprocessor_config.json in its older and newer forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.errors import CoreError
from core.inputs import PictureReader, Preparation
from core.inputs.pictures import MODES, Size
from core.models import Spec

Settings = Mapping[str, Any]

BILINEAR, BICUBIC = 2, 3
HALVES = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
ALWAYS = {"do_resize": True, "do_rescale": True, "do_normalize": True, "rescale_factor": 1 / 255}
USUAL: Mapping[str, Settings] = {
    "ViT": {**ALWAYS, **HALVES, "resample": BILINEAR, "size": 224, "do_center_crop": False, "square": True},
    "DeiT": {**ALWAYS, **HALVES, "resample": BICUBIC, "size": 256, "do_center_crop": True, "square": True},
    "CLIP": {
        **ALWAYS,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
        "resample": BICUBIC,
        "size": 224,
        "do_center_crop": True,
        "square": False,
    },
}
KIND = re.compile(r"(\w+?)(ImageProcessor|FeatureExtractor)(Fast|Pil)?")


def picture_reader(spec: Spec, settings: Settings, usual: str) -> PictureReader:
    """Return what reads pictures for a model; `usual` names the preparation of a folder that does not say its own.

    Raises:
        CoreError: `config_value` for what is not supported, or for pictures of another size than the model takes.
    """
    rows, columns = spec.grid
    prepared = preparation(spec, settings, usual)
    return PictureReader(preparation=prepared, shape=spec.signal, grid=spec.grid, own=spec.places - rows * columns)


def preparation(spec: Spec, settings: Settings, usual: str) -> Preparation:
    """Return how a picture becomes what the model takes.

    Raises:
        CoreError: `config_value`.
    """
    named = settings.get("image_processor_type") or settings.get("feature_extractor_type") or f"{usual}ImageProcessor"
    known = KIND.fullmatch(named)
    if known is None or known[1] not in USUAL:
        allowed = ", ".join(f"{name}ImageProcessor" for name in USUAL)
        raise CoreError("config_value", name="image_processor_type", came=named, allowed=allowed)
    channels, *model = spec.signal
    asked = {**USUAL[known[1]], **(settings or _guessed(USUAL[known[1]], channels, model))}
    made = Preparation(
        size=_resized(asked) if asked["do_resize"] else None,
        filter=_filter(asked["resample"]),
        crop=_both(asked.get("crop_size", model)) if asked["do_center_crop"] else None,
        factor=asked["rescale_factor"] if asked["do_rescale"] else 1.0,
        mean=_colours("image_mean", asked, channels, 0.0),
        spread=_colours("image_std", asked, channels, 1.0),
    )
    last = made.crop or made.size
    if isinstance(last, tuple) and last != tuple(model):
        raise CoreError("config_value", name="size (preprocessor_config.json)", came=last, allowed=tuple(model))
    return made


def _guessed(usual: Settings, channels: int, model: list[int]) -> Settings:
    """Return the settings of a folder that has none: what the model takes, in as many colours."""
    colours = {name: usual[name][:channels] for name in ("image_mean", "image_std")}
    return {"size": model, "crop_size": model, **colours}


def _resized(asked: Settings) -> Size | int:
    """Return rows and columns, or the shorter edge; older folders say it as one number."""
    size = asked["size"]
    if isinstance(size, Mapping):
        if set(size) == {"shortest_edge"}:
            return int(size["shortest_edge"])
        return _both(size)
    return int(size) if isinstance(size, int) and not asked["square"] else _both(size)


def _both(size: Any) -> Size:
    if isinstance(size, int):
        return size, size
    if isinstance(size, Mapping) and set(size) == {"height", "width"}:
        return int(size["height"]), int(size["width"])
    if isinstance(size, list | tuple) and len(size) == 2:
        return int(size[0]), int(size[1])
    raise CoreError("config_value", name="size", came=size, allowed="height, width | shortest_edge")


def _filter(number: Any) -> int:
    if number not in range(6):
        raise CoreError("config_value", name="resample", came=number, allowed="0 … 5")
    return int(number)


def _colours(name: str, asked: Settings, channels: int, otherwise: float) -> tuple[float, ...]:
    """Return one number a colour."""
    if channels not in MODES:
        raise CoreError("config_value", name="num_channels", came=channels, allowed=", ".join(map(str, MODES)))
    if not asked["do_normalize"]:
        return (otherwise,) * channels
    numbers = asked[name] if isinstance(asked[name], list) else [asked[name]] * channels
    if len(numbers) != channels:
        raise CoreError("config_value", name=name, came=numbers, allowed=f"{channels} numbers")
    return tuple(float(number) for number in numbers)
