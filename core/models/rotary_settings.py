"""Rotary settings as configs spell them: at the top level (`rope_theta`, `rope_scaling`), or together in
`rope_parameters`, there also by the type of layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.errors import CoreError
from core.models.plan import Config
from core.positions import ByWavelength, Divided, Dynamic, Linear, LongRope, Rotary, Scaling, Yarn
from core.positions.scalings import yarn_strength

FULL, SLIDING = "full_attention", "sliding_attention"
OFTEN = frozenset({"rope_type", "type", "rope_theta", "partial_rotary_factor", "finetuned", "mrope_section"})
TRAINED = "original_max_position_embeddings"

Settings = Mapping[str, Any]


def rotary(config: Config, head_width: int, *, layer: str = FULL, base: float = 10_000.0, share: float = 1.0) -> Rotary:
    """Return the rotary positions of one type of layer; `base` and `share` (of each head that is turned) are the
    family's own, for configs that leave them out.

    Raises:
        CoreError: `rotary_scaling` for a scaling that is not supported, `config_value` for settings that are not
            understood.
    """
    settings = rotary_settings(config, layer)
    kind = settings.get("rope_type") or settings.get("type") or "default"
    if kind not in SCALINGS:
        raise CoreError("rotary_scaling", came=kind, allowed=", ".join(SCALINGS))
    make, keys = SCALINGS[kind]
    strange = sorted(settings.keys() - OFTEN - keys)
    if strange and kind != "default":
        raise CoreError("config_value", name="rope_scaling", came=", ".join(strange), allowed=", ".join(sorted(keys)))
    part = _first(settings.get("partial_rotary_factor"), config.get("partial_rotary_factor"), share)
    theta = float(_first(settings.get("rope_theta"), config.get("rope_theta"), base))
    if not 1 < theta < float("inf"):
        raise CoreError("config_value", name="rope_theta", came=theta, allowed="> 1")
    turned = int(head_width * part)
    if turned < 2 or turned % 2:
        came = f"{part} x {head_width} = {turned}"
        raise CoreError("config_value", name="partial_rotary_factor x head_dim", came=came, allowed="2, 4, 6 …")
    return Rotary(head_width=turned, base=theta, scaling=make(settings, config))


def rotary_settings(config: Config, layer: str = FULL) -> Settings:
    """Return the rotary settings of one type of layer, from whichever spelling the config has.

    Raises:
        CoreError: `config_value` for settings nested by anything but the types of layers.
    """
    given = config.get("rope_parameters")
    if given is None:
        return dict(config.get("rope_scaling") or {})
    if not isinstance(given, Mapping):
        raise CoreError("config_value", name="rope_parameters", came=given, allowed="{ … }")
    nested = {name: value for name, value in given.items() if isinstance(value, Mapping)}
    if not nested:
        return dict(given)
    if nested.keys() - {FULL, SLIDING} or layer not in nested:
        came = ", ".join(map(str, given))
        raise CoreError("config_value", name="rope_parameters", came=came, allowed=f"rope_theta, {FULL}, {SLIDING}")
    return dict(nested[layer])


def reach(config: Config, turned: Rotary) -> int:
    """Return the most positions that the model is meant for: more than it was trained on where a scaling stretches
    them."""
    trained = int(config["max_position_embeddings"])
    scaling = turned.scaling
    if isinstance(scaling, Dynamic | Yarn):
        return max(trained, int(scaling.factor * scaling.trained))
    return trained


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _unscaled(settings: Settings, config: Config) -> Scaling:  # noqa: ARG001
    return Scaling()


def _linear(settings: Settings, config: Config) -> Scaling:  # noqa: ARG001
    return Linear(factor=float(settings["factor"]))


def _divided(settings: Settings, config: Config) -> Scaling:  # noqa: ARG001
    return Divided(factors=tuple(settings["factors"]))


def _dynamic(settings: Settings, config: Config) -> Scaling:
    return Dynamic(factor=float(settings["factor"]), trained=int(config["max_position_embeddings"]))


def _by_wavelength(settings: Settings, config: Config) -> Scaling:
    low, high = float(settings["low_freq_factor"]), float(settings["high_freq_factor"])
    if low == high:
        raise CoreError("config_value", name="low_freq_factor", came=low, allowed=f"< {high}")
    return ByWavelength(factor=float(settings["factor"]), low=low, high=high, trained=_trained(settings, config))


def _yarn(settings: Settings, config: Config) -> Scaling:
    trained = _trained(settings, config)
    factor = float(_first(settings.get("factor"), config["max_position_embeddings"] / trained))
    strength = settings.get("attention_factor")
    above, below = settings.get("mscale"), settings.get("mscale_all_dim")
    if strength is None and above and below:
        strength = yarn_strength(factor, above) / yarn_strength(factor, below)
    return Yarn(
        factor=factor,
        trained=trained,
        fast=float(settings.get("beta_fast") or 32),
        slow=float(settings.get("beta_slow") or 1),
        whole=bool(settings.get("truncate", True)),
        given_strength=None if strength is None else float(strength),
    )


def _longrope(settings: Settings, config: Config) -> Scaling:
    trained, strength = _trained(settings, config), settings.get("attention_factor")
    return LongRope(
        short=tuple(map(float, settings["short_factor"])),
        long=tuple(map(float, settings["long_factor"])),
        factor=float(_first(settings.get("factor"), config["max_position_embeddings"] / trained)),
        trained=trained,
        given_strength=None if strength is None else float(strength),
    )


def _trained(settings: Settings, config: Config) -> int:
    return int(_first(config.get(TRAINED), settings.get(TRAINED), config["max_position_embeddings"]))


SCALINGS: dict[str, tuple[Callable[[Settings, Config], Scaling], frozenset[str]]] = {
    "default": (_unscaled, frozenset()),
    "linear": (_linear, frozenset({"factor"})),
    "dynamic": (_dynamic, frozenset({"factor", TRAINED})),
    "llama3": (_by_wavelength, frozenset({"factor", "low_freq_factor", "high_freq_factor", TRAINED})),
    "yarn": (
        _yarn,
        frozenset(
            {"factor", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate", TRAINED}
        ),
    ),
    "longrope": (_longrope, frozenset({"short_factor", "long_factor", "factor", "attention_factor", TRAINED})),
    "table": (_divided, frozenset({"factors"})),
}
