"""OLMo 2 (OLMo et al. 2024): Llama with its norms after the parts, and norms over the whole of queries and keys
(section 3.2)."""

from __future__ import annotations

from core.blocks import InnerNorm
from core.masks import Causal
from core.mixers import ALL, NONE, HeadNorms, SelfAttention
from core.models.llama import (
    AROUND,
    ATTENTION,
    DEFAULTS,
    GATED,
    HEAD_NORMS,
    LAYER,
    OURS,
    decoder_plan,
    decoder_spec,
    gated,
    rms_norm,
)
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import rotary
from core.positions import Rotary

NAMES = {
    **AROUND,
    **ATTENTION,
    **HEAD_NORMS,
    **GATED,
    f"{LAYER}.post_attention_layernorm": f"{OURS}.mixer_norm",
    f"{LAYER}.post_feedforward_layernorm": f"{OURS}.feed_norm",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published OLMo 2 config.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**DEFAULTS, "rms_norm_eps": 1e-5, **config}
    spec = decoder_spec(config, "olmo2", biases=ALL if config.get("attention_bias") else NONE)
    turned = rotary(config, spec.heads.head_width)
    return decoder_plan(config, stored, spec, [_layer(config, spec, turned) for _ in range(spec.layers)], NAMES)


def _layer(config: Config, spec: Spec, turned: Rotary) -> InnerNorm:
    heads = spec.heads
    sizes = iter((heads.count, heads.groups))
    norms = HeadNorms(lambda: rms_norm(config, next(sizes) * heads.head_width), whole=True)
    return InnerNorm(
        mixer=SelfAttention(spec.width, heads, rule=Causal(), positions=turned, norms=norms),
        mixer_norm=rms_norm(config, spec.width),
        feed_forward=gated(config, spec),
        feed_norm=rms_norm(config, spec.width),
    )


OLMO2 = Family(model_type="olmo2", plan=plan)
