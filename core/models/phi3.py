"""Phi-3 and Phi-4 (Abdin et al. 2024, section 2): Llama's wiring with fused matrices, a window, and two tables of
factors for long texts."""

from __future__ import annotations

from dataclasses import replace

from core.models.decoder import settled
from core.models.llama import AROUND, LAYER, NORMS, OURS, decoder_plan, decoder_spec, pre_norm, window
from core.models.plan import Config, Family, Plan
from core.models.rotary_settings import rotary
from core.models.splits import mixer_parts, stacked

NAMES = {
    **AROUND,
    **NORMS,
    f"{LAYER}.self_attn.o_proj": f"{OURS}.mixer.output",
    f"{LAYER}.mlp.down_proj": f"{OURS}.feed_forward.down",
}
DEFAULTS = {
    "hidden_act": "silu",
    "max_position_embeddings": 4096,
    "num_key_value_heads": None,
    "original_max_position_embeddings": 4096,
    "rms_norm_eps": 1e-5,
    "sliding_window": None,
    "tie_word_embeddings": False,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Phi-3 config, in either of its two spellings.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = _today(settled(config, DEFAULTS))
    spec = decoder_spec(config, "phi3")
    heads, rule = spec.heads, window(config["sliding_window"])
    turned = rotary(config, heads.head_width)
    layers = [pre_norm(config, spec, rule=rule, turned=turned) for _ in range(spec.layers)]
    rows = (heads.count * heads.head_width, *(heads.groups * heads.head_width,) * 2)
    gates = (f"{OURS}.feed_forward.gate", f"{OURS}.feed_forward.up")
    return replace(
        decoder_plan(config, stored, spec, layers, NAMES),
        splits={
            f"{LAYER}.self_attn.qkv_proj": stacked(mixer_parts(f"{OURS}.mixer"), rows),
            f"{LAYER}.mlp.gate_up_proj": stacked(gates, (spec.inner,) * 2),
        },
    )


def _today(config: Config) -> Config:
    """Return the config with today's name of the scaling, which early folders call "su" or "yarn"."""
    scaling = config.get("rope_scaling")
    if not scaling or scaling.get("type", scaling.get("rope_type")) not in ("su", "yarn"):
        return config
    kept = {name: value for name, value in scaling.items() if name != "type"}
    return {**config, "rope_scaling": {**kept, "rope_type": "longrope"}}


PHI3 = Family(model_type="phi3", plan=plan)
