"""Mistral (Jiang et al. 2023): Llama whose layers see a window of what came before (section 2)."""

from __future__ import annotations

from core.models.llama import (
    DEFAULTS,
    GGUF_NAMES,
    LLAMA,
    NAMES,
    decoder_plan,
    decoder_spec,
    one_window,
    pre_norm,
)
from core.models.plan import Config, Family, Plan
from core.models.rotary_settings import rotary

MISTRAL_DEFAULTS = {
    **DEFAULTS,
    "max_position_embeddings": 131_072,
    "num_key_value_heads": 8,
    "sliding_window": 4096,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Mistral config.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**MISTRAL_DEFAULTS, **config}
    spec = decoder_spec(config, "mistral")
    kind, rule = one_window(config)
    turned = rotary(config, spec.heads.head_width, layer=kind)
    layers = [pre_norm(config, spec, rule=rule, turned=turned) for _ in range(spec.layers)]
    return decoder_plan(config, stored, spec, layers, NAMES)


MISTRAL = Family(model_type="mistral", plan=plan, gguf_names=GGUF_NAMES, gguf_changes=LLAMA.gguf_changes)
