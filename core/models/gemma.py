"""Gemma 2 (Gemma Team 2024) and the text model of Gemma 3 (Gemma Team 2025): decoders with norms on both sides of each
part, scaled rows, and windows in some layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.blocks import Embeddings, LanguageHead, RMSNorm, Sandwich
from core.errors import CoreError
from core.mixers import ALL, NONE, HeadNorms, SelfAttention
from core.models.gguf_keys import gguf_config, less_one
from core.models.llama import (
    AROUND,
    ATTENTION,
    DEFAULTS,
    GATED,
    GGUF_NAMES,
    HEAD_NORMS,
    LAYER,
    OURS,
    decoder_plan,
    decoder_spec,
    gated,
    layer_types,
    window,
)
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import FULL, SLIDING, rotary
from core.positions import Rotary

NAMES = {
    **AROUND,
    **ATTENTION,
    **HEAD_NORMS,
    **GATED,
    f"{LAYER}.input_layernorm": f"{OURS}.mixer_norm",
    f"{LAYER}.post_attention_layernorm": f"{OURS}.mixer_after",
    f"{LAYER}.pre_feedforward_layernorm": f"{OURS}.feed_norm",
    f"{LAYER}.post_feedforward_layernorm": f"{OURS}.feed_after",
}
GEMMA_DEFAULTS = {
    **DEFAULTS,
    "head_dim": 256,
    "hidden_activation": "gelu_pytorch_tanh",
    "num_key_value_heads": 4,
    "query_pre_attn_scalar": 256,
    "sliding_window": 4096,
    "tie_word_embeddings": True,
}
DEFAULTS_2 = {
    **GEMMA_DEFAULTS,
    "attn_logit_softcapping": 50.0,
    "final_logit_softcapping": 30.0,
    "max_position_embeddings": 8192,
}
DEFAULTS_3 = {
    **GEMMA_DEFAULTS,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "max_position_embeddings": 131_072,
    "num_attention_heads": 8,
    "num_hidden_layers": 26,
    "sliding_window_pattern": 6,
    "vocab_size": 262_208,
}
PICTURES = {"vision_tower.": "pictures", "multi_modal_projector.": "pictures"}
CAPS = ("attn_logit_softcapping", "final_logit_softcapping")
BASES = {FULL: 1_000_000.0, SLIDING: 10_000.0}


def plan_2(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Gemma 2 config: every second layer sees a window, scores and logits are capped softly.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = _checked({**DEFAULTS_2, **config})
    spec = _spec(config, "gemma2", cap=config["attn_logit_softcapping"])
    kinds = layer_types(config, _every(2, spec.layers))
    turned = {kind: rotary(config, spec.heads.head_width, layer=kind) for kind in kinds}
    layers = [_layer(config, spec, kind, turned[kind]) for kind in kinds]
    return _plan(config, stored, spec, layers)


def plan_3(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Gemma 3 text config: five layers with a window and a short rotary base, then one without.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = _checked({**DEFAULTS_3, **config})
    if config.get("attn_logit_softcapping"):
        came = config["attn_logit_softcapping"]
        raise CoreError("config_value", name="attn_logit_softcapping", came=came, allowed="null")
    spec = _spec(config, "gemma3_text")
    kinds = layer_types(config, _every(config["sliding_window_pattern"], spec.layers))
    turned = {
        kind: rotary(_of_kind(config, kind), spec.heads.head_width, layer=kind, base=BASES[kind]) for kind in kinds
    }
    layers = [_layer(config, spec, kind, turned[kind], normed=True) for kind in kinds]
    return _plan(config, stored, spec, layers)


def plan_pictures(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Gemma 3 config that reads pictures too: its text model, given text only.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    tied = config.get("tie_word_embeddings", DEFAULTS_3["tie_word_embeddings"])
    found = plan_3({"tie_word_embeddings": tied, **config["text_config"]}, stored)
    return replace(
        found,
        prefixes=("language_model.", *found.prefixes, "language_model."),
        ignored={**found.ignored, **PICTURES},
    )


def _checked(config: Config) -> Config:
    if config.get("use_bidirectional_attention"):
        raise CoreError("config_value", name="use_bidirectional_attention", came=True, allowed=False)
    return {**config, "hidden_act": config["hidden_activation"] or GEMMA_DEFAULTS["hidden_activation"]}


def _of_kind(config: Config, kind: str) -> Config:
    """Return the config with the rotary settings at its top level that older configs mean for one type of layer.

    Layers with a window have their own base and no scaling there.
    """
    given = config.get("rope_parameters")
    if given is not None and not {FULL, SLIDING} & set(given):
        raise CoreError("config_value", name="rope_parameters", came=", ".join(given), allowed=f"{FULL}, {SLIDING}")
    if kind == FULL:
        return config
    return {**config, "rope_theta": config.get("rope_local_base_freq"), "rope_scaling": None}


def _every(step: int, layers: int) -> list[str]:
    """Return windows in all layers but every `step`-th."""
    return [SLIDING if (number + 1) % step else FULL for number in range(layers)]


def _spec(config: Config, family: str, *, cap: float | None = None) -> Spec:
    biases = ALL if config.get("attention_bias") else NONE
    return decoder_spec(config, family, biases=biases, scale=config["query_pre_attn_scalar"] ** -0.5, cap=cap)


def _norm(config: Config, width: int) -> RMSNorm:
    return RMSNorm(width, epsilon=config["rms_norm_eps"], offset=1.0)


def _layer(config: Config, spec: Spec, kind: str, turned: Rotary, *, normed: bool = False) -> Sandwich:
    norms = HeadNorms(lambda: _norm(config, spec.heads.head_width)) if normed else None
    rule = window(config["sliding_window"] if kind == SLIDING else None)
    return Sandwich(
        mixer=SelfAttention(spec.width, spec.heads, rule=rule, positions=turned, norms=norms),
        mixer_norm=_norm(config, spec.width),
        mixer_after=_norm(config, spec.width),
        feed_forward=gated(config, spec),
        feed_norm=_norm(config, spec.width),
        feed_after=_norm(config, spec.width),
    )


def _plan(config: Config, stored: frozenset[str], spec: Spec, layers: Sequence[Sandwich]) -> Plan:
    return decoder_plan(
        config,
        stored,
        spec,
        layers,
        NAMES,
        embed=Embeddings(spec.pieces, spec.width, scale=spec.width**0.5),
        final=_norm(config, spec.width),
        pieces=LanguageHead(spec.width, spec.pieces, cap=config.get("final_logit_softcapping")),
    )


_GGUF, _PUBLISHED = "blk.{n}", "model.layers.{n}"
GEMMA_GGUF_NAMES = {
    **GGUF_NAMES,
    f"{_GGUF}.post_attention_norm": f"{_PUBLISHED}.post_attention_layernorm",
    f"{_GGUF}.ffn_norm": f"{_PUBLISHED}.pre_feedforward_layernorm",
    f"{_GGUF}.post_ffw_norm": f"{_PUBLISHED}.post_feedforward_layernorm",
}
GEMMA_GGUF_CHANGES = {f"{name}.weight": less_one for name in NAMES if name.endswith("norm")}
LARGEST_2, LARGEST_3 = 46, 62


def gguf_2(metadata: Config) -> Config:
    """Return the published form of a Gemma 2 header."""
    config = gguf_config("gemma2")(metadata)
    caps = {name: metadata.get(f"gemma2.{name}", DEFAULTS_2[name]) for name in CAPS}
    return {**config, **caps, **_score_scale(config, LARGEST_2)}


def gguf_3(metadata: Config) -> Config:
    """Return the published form of a Gemma 3 header; windows are listed by layer, or every how many layers none is."""
    config = gguf_config("gemma3", "gemma3_text")(metadata)
    step = metadata.get("gemma3.attention.sliding_window_pattern", DEFAULTS_3["sliding_window_pattern"])
    listed = [SLIDING if sees else FULL for sees in step] if isinstance(step, list) else None
    return {
        **config,
        **_score_scale(config, LARGEST_3),
        "layer_types": listed or _every(step, config["num_hidden_layers"]),
        "final_logit_softcapping": metadata.get("gemma3.final_logit_softcapping"),
        "rope_local_base_freq": metadata.get("gemma3.rope.freq_base_swa", BASES[SLIDING]),
        "rope_theta": metadata.get("gemma3.rope.freq_base", BASES[FULL]),
    }


def _score_scale(config: Config, largest: int) -> Config:
    """Return what scores are scaled by, which the format leaves out: the head width, but in the largest model of each
    generation (known by its layers) the width divided by the heads."""
    even = config["hidden_size"] // config["num_attention_heads"]
    return {"query_pre_attn_scalar": even if config["num_hidden_layers"] == largest else config["head_dim"]}


GEMMA2 = Family(
    model_type="gemma2",
    plan=plan_2,
    gguf_architecture="gemma2",
    gguf_config=gguf_2,
    gguf_names=GEMMA_GGUF_NAMES,
    gguf_changes=GEMMA_GGUF_CHANGES,
)
GEMMA3_PICTURES = Family(model_type="gemma3", plan=plan_pictures)
GEMMA3 = Family(
    model_type="gemma3_text",
    plan=plan_3,
    gguf_architecture="gemma3",
    gguf_config=gguf_3,
    gguf_names=GEMMA_GGUF_NAMES,
    gguf_changes=GEMMA_GGUF_CHANGES,
)
