"""Mamba (Gu and Dao 2023) and Mamba-2 (Dao and Gu 2024): decoders without attention, whose layers carry a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from torch import nn

from core.blocks import Alone, Embeddings, GroupedRMSNorm, RMSNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.mixers import NO_HEADS, Dual, Selective, Space
from core.models.decoder import LAYER, decoder, head, settled
from core.models.plan import Config, Family, Plan, Spec

USUAL: dict[str, Any] = {
    "vocab_size": 50280,
    "hidden_size": 768,
    "state_size": 16,
    "num_hidden_layers": 32,
    "layer_norm_epsilon": 1e-5,
    "expand": 2,
    "conv_kernel": 4,
    "use_bias": False,
    "use_conv_bias": True,
    "hidden_act": "silu",
    "time_step_rank": "auto",
    "tie_word_embeddings": True,
}
USUAL_2: dict[str, Any] = {
    **USUAL,
    "vocab_size": 32768,
    "hidden_size": 4096,
    "state_size": 128,
    "num_hidden_layers": 64,
    "num_heads": 128,
    "head_dim": 64,
    "n_groups": 8,
    "time_step_limit": (0.0, float("inf")),
    "tie_word_embeddings": False,
}
MIXER = {
    "in_proj": "input",
    "conv1d": "near",
    "x_proj": "select",
    **dict.fromkeys(("dt_proj", "dt_bias"), "steps"),
    "A_log": "decay",
    "D": "skip",
    "norm": "norm",
    "out_proj": "output",
}
NAMES = {
    "embeddings": "decoder.embed.words",
    "embedding": "decoder.embed.words",
    "layers.{n}.norm": f"{LAYER}.mixer_norm",
    **{f"layers.{{n}}.mixer.{theirs}": f"{LAYER}.mixer.{ours}" for theirs, ours in MIXER.items()},
    "norm_f": "decoder.final",
    "lm_head": "output.pieces",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Mamba config.

    Raises:
        CoreError: `unknown_activation`.
    """
    config = settled(config, USUAL)
    width = config["hidden_size"]
    space = Space(
        inner=int(config["expand"] * width),
        state=config["state_size"],
        kernel=config["conv_kernel"],
        rank=rank(config["time_step_rank"], width),
        biases=biases(projections=config["use_bias"], near=config["use_conv_bias"]),
    )
    act = activation(config["hidden_act"])
    return _plan(config, stored, space, [Selective(width, space, act=act) for _ in range(config["num_hidden_layers"])])


def plan_2(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Mamba-2 config.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for heads that do not share the inner width, or groups that
            do not divide the heads.
    """
    config = settled(config, USUAL_2)
    space = _by_heads(config)
    act = activation(config["hidden_act"])
    mixers = [
        Dual(config["hidden_size"], space, act=act, norm=_grouped(config, space))
        for _ in range(config["num_hidden_layers"])
    ]
    return _plan(config, stored, space, mixers)


def _by_heads(config: Config) -> Space:
    inner, heads, groups = int(config["expand"] * config["hidden_size"]), config["num_heads"], config["n_groups"]
    if heads * config["head_dim"] != inner:
        raise CoreError("config_value", name="num_heads", came=heads, allowed=f"{inner} / {config['head_dim']}")
    if heads % groups:
        raise CoreError("config_value", name="n_groups", came=groups, allowed=f"{heads} / n")
    lowest, highest = (number(limit) for limit in config["time_step_limit"])
    return Space(
        inner=inner,
        state=config["state_size"],
        kernel=config["conv_kernel"],
        heads=heads,
        groups=groups,
        biases=biases(projections=config["use_bias"], near=config["use_conv_bias"]),
        limits=(lowest, highest),
    )


def _grouped(config: Config, space: Space) -> GroupedRMSNorm:
    return GroupedRMSNorm(space.inner, groups=space.groups, epsilon=config["layer_norm_epsilon"])


def _plan(config: Config, stored: frozenset[str], space: Space, mixers: Sequence[nn.Module]) -> Plan:
    spec = Spec(
        family=config["model_type"],
        kind="decoder",
        layers=len(mixers),
        heads=NO_HEADS,
        width=config["hidden_size"],
        inner=space.inner,
        pieces=config["vocab_size"],
        positions=0,
    )
    return decoder(
        spec,
        [Alone(mixer=mixer, mixer_norm=_norm(config)) for mixer in mixers],
        embed=Embeddings(spec.pieces, spec.width),
        final=_norm(config),
        output=head(config, spec, stored, "backbone."),
        tied=bool(config["tie_word_embeddings"]),
        names=NAMES,
        prefixes=("backbone.",),
    )


def _norm(config: Config) -> RMSNorm:
    return RMSNorm(config["hidden_size"], epsilon=config["layer_norm_epsilon"])


def number(given: Any) -> float:
    """Return a number that JSON may not be able to say: newer folders spell infinity as {"__float__": "Infinity"}."""
    return float(given["__float__"] if isinstance(given, Mapping) else given)


def rank(given: Any, width: int) -> int:
    """Return how many numbers make the steps: as given, or a sixteenth of the width for "auto"."""
    return ceil(width / 16) if given == "auto" else int(given)


def biases(*, projections: bool, near: bool) -> frozenset[str]:
    """Return which parts of a mixer have a bias."""
    return frozenset(name for name, there in {"projections": projections, "near": near}.items() if there)


MAMBA = Family(model_type="mamba", plan=plan)
MAMBA2 = Family(model_type="mamba2", plan=plan_2)
