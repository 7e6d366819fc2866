"""Llama (Touvron et al. 2023): a pre-norm decoder with RMSNorm, rotary positions, grouped keys and a gated
feed-forward."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from core.blocks import Embeddings, GatedFeedForward, LanguageHead, PreNorm, RMSNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal
from core.mixers import Heads, SelfAttention
from core.models.plan import Config, Family, Plan, Side, Spec
from core.positions import Rotary

_LAYER, _OURS = "model.layers.{n}", "decoder.layers.{n}"

NAMES = {
    "model.embed_tokens": "decoder.embed.words",
    f"{_LAYER}.input_layernorm": f"{_OURS}.mixer_norm",
    f"{_LAYER}.self_attn.q_proj": f"{_OURS}.mixer.queries",
    f"{_LAYER}.self_attn.k_proj": f"{_OURS}.mixer.keys",
    f"{_LAYER}.self_attn.v_proj": f"{_OURS}.mixer.values",
    f"{_LAYER}.self_attn.o_proj": f"{_OURS}.mixer.output",
    f"{_LAYER}.post_attention_layernorm": f"{_OURS}.feed_norm",
    f"{_LAYER}.mlp.gate_proj": f"{_OURS}.feed_forward.gate",
    f"{_LAYER}.mlp.up_proj": f"{_OURS}.feed_forward.up",
    f"{_LAYER}.mlp.down_proj": f"{_OURS}.feed_forward.down",
    "model.norm": "decoder.final",
    "lm_head": "output.pieces",
}

GGUF_NAMES = {
    "token_embd": "model.embed_tokens",
    "blk.{n}.attn_norm": f"{_LAYER}.input_layernorm",
    "blk.{n}.attn_q": f"{_LAYER}.self_attn.q_proj",
    "blk.{n}.attn_k": f"{_LAYER}.self_attn.k_proj",
    "blk.{n}.attn_v": f"{_LAYER}.self_attn.v_proj",
    "blk.{n}.attn_output": f"{_LAYER}.self_attn.o_proj",
    "blk.{n}.ffn_norm": f"{_LAYER}.post_attention_layernorm",
    "blk.{n}.ffn_gate": f"{_LAYER}.mlp.gate_proj",
    "blk.{n}.ffn_up": f"{_LAYER}.mlp.up_proj",
    "blk.{n}.ffn_down": f"{_LAYER}.mlp.down_proj",
    "output_norm": "model.norm",
    "output": "lm_head",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:  # noqa: ARG001
    """Translate a published Llama config, in either of its two spellings.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    spec = _spec(config)
    rotary = Rotary(head_width=spec.heads.head_width, base=rotary_base(config))
    layers = [_layer(config, spec, rotary) for _ in range(spec.layers)]
    tied = {"output.pieces.weight": "decoder.embed.words.weight"} if config.get("tie_word_embeddings", False) else {}
    return Plan(
        spec=spec,
        sides=(Side("decoder", embed=Embeddings(spec.pieces, spec.width), layers=layers, final=_norm(config, spec)),),
        output=LanguageHead(spec.width, spec.pieces),
        names=NAMES,
        tied=tied,
        ignored={"model.layers.{n}.self_attn.rotary_emb.inv_freq": "buffer", "rope_freqs": "buffer"},
    )


def rotary_base(config: Config) -> float:
    """Return the rotary base from `rope_theta`, or from `rope_parameters` as later folders spell it.

    Raises:
        CoreError: `rotary_scaling` when the config asks for a scaling that is not supported.
    """
    settings = config.get("rope_parameters") or {
        "rope_theta": config.get("rope_theta"),
        **(config.get("rope_scaling") or {}),
    }
    kind = settings.get("rope_type", settings.get("type", "default"))
    if kind != "default":
        raise CoreError("rotary_scaling", came=kind, allowed="default")
    if settings.get("rope_theta") is None and "rope_parameters" in config:
        raise CoreError("config_value", name="rope_parameters", came=", ".join(settings), allowed="rope_theta")
    return float(settings.get("rope_theta") or 10_000.0)


def _spec(config: Config) -> Spec:
    count, width = config["num_attention_heads"], config["hidden_size"]
    groups = config.get("num_key_value_heads") or count
    if count % groups:
        raise CoreError("config_value", name="num_key_value_heads", came=groups, allowed=f"{count} / n")
    head_width = config.get("head_dim") or width // count
    return Spec(
        family="llama",
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=Heads(count=count, groups=groups, head_width=head_width, scale=head_width**-0.5),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
    )


def _norm(config: Config, spec: Spec) -> RMSNorm:
    return RMSNorm(spec.width, epsilon=config.get("rms_norm_eps", 1e-6))


def _layer(config: Config, spec: Spec, rotary: Rotary) -> PreNorm:
    act = activation(config.get("hidden_act", "silu"))
    if config.get("attention_bias") or config.get("mlp_bias"):
        raise CoreError("config_value", name="attention_bias, mlp_bias", came=True, allowed=False)
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal(), positions=rotary),
        mixer_norm=_norm(config, spec),
        feed_forward=GatedFeedForward(spec.width, spec.inner, act=act),
        feed_norm=_norm(config, spec),
    )


def gguf_config(metadata: Config) -> Config:
    """Return the published form of a config that GGUF metadata describes."""
    return {
        "model_type": "llama",
        "hidden_size": metadata["llama.embedding_length"],
        "num_hidden_layers": metadata["llama.block_count"],
        "num_attention_heads": metadata["llama.attention.head_count"],
        "num_key_value_heads": metadata.get("llama.attention.head_count_kv"),
        "head_dim": metadata.get("llama.rope.dimension_count"),
        "intermediate_size": metadata["llama.feed_forward_length"],
        "max_position_embeddings": metadata["llama.context_length"],
        "rms_norm_eps": metadata["llama.attention.layer_norm_rms_epsilon"],
        "rope_theta": metadata.get("llama.rope.freq_base", 10_000.0),
        "vocab_size": metadata.get("llama.vocab_size") or len(metadata["tokenizer.ggml.tokens"]),
        "tie_word_embeddings": True,
    }


def half_split(heads: str) -> Callable[[Tensor, Config], Tensor]:
    """Return the function that undoes GGUF's order of rotary pairs in a projection whose heads the config counts
    under `heads`.

    GGUF stores neighbouring pairs (0 1)(2 3)...; published safetensors store first halves, then second halves.
    """

    def undo(weight: Tensor, config: Config) -> Tensor:
        pairs = weight.reshape(config[heads], -1, 2, weight.shape[-1])
        return pairs.transpose(1, 2).reshape(weight.shape)

    return undo


LLAMA = Family(
    model_type="llama",
    plan=plan,
    gguf_config=gguf_config,
    gguf_names=GGUF_NAMES,
    gguf_changes={
        f"{_LAYER}.self_attn.q_proj.weight": half_split("num_attention_heads"),
        f"{_LAYER}.self_attn.k_proj.weight": half_split("num_key_value_heads"),
    },
)
