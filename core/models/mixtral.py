"""Mixtral (Jiang et al. 2024): Mistral whose feed-forward part is a choice of experts (section 2.1)."""

from __future__ import annotations

from core.blocks import Experts, PreNorm
from core.mixers import SelfAttention
from core.models.llama import (
    AROUND,
    ATTENTION,
    DEFAULTS,
    LAYER,
    NORMS,
    OURS,
    decoder_plan,
    decoder_spec,
    gated,
    one_window,
    rms_norm,
)
from core.models.plan import Config, Family, Plan
from core.models.rotary_settings import rotary

_MIXED = f"{LAYER}.block_sparse_moe"

NAMES = {
    **AROUND,
    **NORMS,
    **ATTENTION,
    f"{_MIXED}.gate": f"{OURS}.feed_forward.router",
    f"{_MIXED}.experts.{{n}}.w1": f"{OURS}.feed_forward.experts.{{n}}.gate",
    f"{_MIXED}.experts.{{n}}.w3": f"{OURS}.feed_forward.experts.{{n}}.up",
    f"{_MIXED}.experts.{{n}}.w2": f"{OURS}.feed_forward.experts.{{n}}.down",
}
MIXTRAL_DEFAULTS = {
    **DEFAULTS,
    "max_position_embeddings": 131_072,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "rms_norm_eps": 1e-5,
    "sliding_window": None,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Mixtral config.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**MIXTRAL_DEFAULTS, **config}
    spec = decoder_spec(config, "mixtral")
    kind, rule = one_window(config)
    turned = rotary(config, spec.heads.head_width, layer=kind, base=1_000_000.0)
    layers = [
        PreNorm(
            mixer=SelfAttention(spec.width, spec.heads, rule=rule, positions=turned),
            mixer_norm=rms_norm(config, spec.width),
            feed_forward=Experts(
                spec.width,
                [gated(config, spec) for _ in range(config["num_local_experts"])],
                chosen=config["num_experts_per_tok"],
            ),
            feed_norm=rms_norm(config, spec.width),
        )
        for _ in range(spec.layers)
    ]
    return decoder_plan(config, stored, spec, layers, NAMES)


MIXTRAL = Family(model_type="mixtral", plan=plan)
