"""Jamba (Lieber et al. 2024): most layers carry a state, some look around; every other feed-forward part is a choice of
experts, and nothing else tells positions apart (section 6.5)."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.blocks import Experts, PreNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal
from core.mixers import Selective, SelfAttention, Space, SpaceNorms
from core.models.decoder import settled
from core.models.llama import AROUND, ATTENTION, LAYER, OURS, decoder_plan, decoder_spec, gated, rms_norm
from core.models.mamba import MIXER, biases, rank
from core.models.plan import Config, Family, Plan, Spec

USUAL: dict[str, Any] = {
    "vocab_size": 65536,
    "tie_word_embeddings": False,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 262_144,
    "num_experts_per_tok": 2,
    "num_experts": 16,
    "expert_layer_period": 2,
    "expert_layer_offset": 1,
    "attn_layer_period": 8,
    "attn_layer_offset": 4,
    "mamba_d_state": 16,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_dt_rank": "auto",
    "mamba_conv_bias": True,
    "mamba_proj_bias": False,
}
FEED = {"gate_proj": "gate", "up_proj": "up", "down_proj": "down"}
_FEED, _FEED_OURS = f"{LAYER}.feed_forward", f"{OURS}.feed_forward"
NAMES = {
    **AROUND,
    **ATTENTION,
    "final_layernorm": "decoder.final",
    f"{LAYER}.input_layernorm": f"{OURS}.mixer_norm",
    f"{LAYER}.pre_ff_layernorm": f"{OURS}.feed_norm",
    **{f"{LAYER}.mamba.{theirs}": f"{OURS}.mixer.{ours}" for theirs, ours in MIXER.items()},
    f"{LAYER}.mamba.dt_layernorm": f"{OURS}.mixer.norms.steps",
    f"{LAYER}.mamba.b_layernorm": f"{OURS}.mixer.norms.write",
    f"{LAYER}.mamba.c_layernorm": f"{OURS}.mixer.norms.read",
    f"{_FEED}.router": f"{_FEED_OURS}.router",
    **{f"{_FEED}.{theirs}": f"{_FEED_OURS}.{ours}" for theirs, ours in FEED.items()},
    **{f"{_FEED}.experts.{{n}}.{theirs}": f"{_FEED_OURS}.experts.{{n}}.{ours}" for theirs, ours in FEED.items()},
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Jamba config.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for an offset that is not below its period.
    """
    config = settled(config, USUAL)
    for kind in ("attn", "expert"):
        offset, period = config[f"{kind}_layer_offset"], config[f"{kind}_layer_period"]
        if not 0 <= offset < period:
            raise CoreError("config_value", name=f"{kind}_layer_offset", came=offset, allowed=f"0 … {period - 1}")
    spec = decoder_spec(config, "jamba")
    layers = [_layer(config, spec, number) for number in range(spec.layers)]
    return decoder_plan(config, stored, spec, layers, NAMES)


def _layer(config: Config, spec: Spec, number: int) -> PreNorm:
    looks = number % config["attn_layer_period"] == config["attn_layer_offset"]
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal()) if looks else _carrying(config, spec),
        mixer_norm=rms_norm(config, spec.width),
        feed_forward=_feed_forward(config, spec, number),
        feed_norm=rms_norm(config, spec.width),
    )


def _carrying(config: Config, spec: Spec) -> Selective:
    space = Space(
        inner=int(config["mamba_expand"] * spec.width),
        state=config["mamba_d_state"],
        kernel=config["mamba_d_conv"],
        rank=rank(config["mamba_dt_rank"], spec.width),
        biases=biases(projections=config["mamba_proj_bias"], near=config["mamba_conv_bias"]),
    )
    norms = SpaceNorms(lambda width: rms_norm(config, width), space)
    return Selective(spec.width, space, act=activation(config["hidden_act"]), norms=norms)


def _feed_forward(config: Config, spec: Spec, number: int) -> nn.Module:
    """Return experts where it is their turn; one expert alone is a plain part."""
    count = config["num_experts"]
    if count < 2 or number % config["expert_layer_period"] != config["expert_layer_offset"]:
        return gated(config, spec)
    experts = [gated(config, spec) for _ in range(count)]
    return Experts(spec.width, experts, chosen=config["num_experts_per_tok"], among_all=True)


JAMBA = Family(model_type="jamba", plan=plan)
