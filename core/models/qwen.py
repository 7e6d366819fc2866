"""Qwen2 (Yang et al. 2024) and Qwen3 (Yang et al. 2025): Llama with biases on queries, keys and values, or with a norm
on every head's queries and keys instead (Qwen3, section 2)."""

from __future__ import annotations

from core.mixers import ALL, NONE, HeadNorms
from core.models.gguf_keys import gguf_config
from core.models.llama import (
    DEFAULTS,
    GGUF_NAMES,
    HEAD_NORMS,
    NAMES,
    decoder_plan,
    decoder_spec,
    layer_types,
    pre_norm,
    rms_norm,
    window,
)
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import FULL, SLIDING, rotary

INWARD = frozenset({"queries", "keys", "values"})
QWEN_DEFAULTS = {
    **DEFAULTS,
    "max_position_embeddings": 32_768,
    "max_window_layers": 28,
    "num_key_value_heads": 32,
    "sliding_window": 4096,
    "use_sliding_window": False,
}


def plan_2(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Qwen2 config.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**QWEN_DEFAULTS, **config}
    return _plan(config, stored, decoder_spec(config, "qwen2", biases=INWARD), normed=False)


def plan_3(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Qwen3 config.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**QWEN_DEFAULTS, "head_dim": 128, **config}
    spec = decoder_spec(config, "qwen3", biases=ALL if config.get("attention_bias") else NONE)
    return _plan(config, stored, spec, normed=True)


def _plan(config: Config, stored: frozenset[str], spec: Spec, *, normed: bool) -> Plan:
    sees = config["sliding_window"] if config["use_sliding_window"] else None
    late = [SLIDING if sees and n >= config["max_window_layers"] else FULL for n in range(spec.layers)]
    layers = []
    for kind in layer_types(config, late):
        norms = HeadNorms(lambda: rms_norm(config, spec.heads.head_width)) if normed else None
        turned = rotary(config, spec.heads.head_width, layer=kind)
        rule = window(sees if kind == SLIDING else None)
        layers.append(pre_norm(config, spec, rule=rule, turned=turned, norms=norms))
    return decoder_plan(config, stored, spec, layers, {**NAMES, **HEAD_NORMS})


QWEN2 = Family(
    model_type="qwen2",
    plan=plan_2,
    gguf_architecture="qwen2",
    gguf_config=gguf_config("qwen2"),
    gguf_names=GGUF_NAMES,
)
QWEN3 = Family(
    model_type="qwen3",
    plan=plan_3,
    gguf_architecture="qwen3",
    gguf_config=gguf_config("qwen3"),
    gguf_names=GGUF_NAMES,
)
