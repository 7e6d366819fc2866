"""What a GGUF header says, in the spelling of a published config."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from core.errors import CoreError
from core.models.plan import Config
from core.positions.scalings import yarn_strength

NEEDED = {
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "intermediate_size": "feed_forward_length",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
}
FREQUENCIES, TENSORS = "rope_freqs", "tensors"


def gguf_config(architecture: str, model_type: str | None = None) -> Callable[[Config], Config]:
    """Return the function that reads the header of one architecture.

    It raises `config_value` for what is not supported, and KeyError for what is missing.
    """

    def read(metadata: Config) -> Config:
        said = _sayings(architecture, metadata)
        if said("expert_count"):
            raise CoreError("config_value", name=f"{architecture}.expert_count", came=said("expert_count"), allowed=0)
        return {
            "model_type": model_type or architecture,
            **{ours: metadata[f"{architecture}.{theirs}"] for ours, theirs in NEEDED.items()},
            **_heads(said),
            **_rotary(said, metadata),
            "attention_bias": "blk.0.attn_output.bias" in metadata[TENSORS],
            "mlp_bias": "blk.0.ffn_down.bias" in metadata[TENSORS],
            "sliding_window": said("attention.sliding_window"),
            "vocab_size": said("vocab_size") or len(metadata["tokenizer.ggml.tokens"]),
            "tie_word_embeddings": True,
            "eos_token_id": metadata.get("tokenizer.ggml.eos_token_id"),
        }

    return read


def _sayings(architecture: str, metadata: Config) -> Callable[..., Any]:
    def said(key: str, otherwise: Any = None) -> Any:
        return metadata.get(f"{architecture}.{key}", otherwise)

    return said


def _heads(said: Callable[..., Any]) -> Config:
    count, groups = said("attention.head_count"), said("attention.head_count_kv")
    for name, value in (("attention.head_count", count), ("attention.head_count_kv", groups)):
        if isinstance(value, list):
            raise CoreError("config_value", name=name, came=value[:4], allowed=value[0])
    width = said("attention.key_length") or said("embedding_length") // count
    if said("attention.value_length", width) != width:
        raise CoreError("config_value", name="value_length", came=said("attention.value_length"), allowed=width)
    if said("rope.dimension_count", width) != width:
        raise CoreError("config_value", name="rope.dimension_count", came=said("rope.dimension_count"), allowed=width)
    return {"num_key_value_heads": groups or count, "head_dim": width}


def _rotary(said: Callable[..., Any], metadata: Config) -> Config:
    """Return base and scaling; a table of divisors that lies among the tensors goes before what the header says."""
    base = {"rope_theta": said("rope.freq_base", 10_000.0)}
    kind = said("rope.scaling.type") or ("linear" if said("rope.scale_linear") else "none")
    factor = said("rope.scaling.factor") or said("rope.scale_linear")
    if FREQUENCIES in metadata:
        return {**base, "rope_scaling": {"rope_type": "table", "factors": metadata[FREQUENCIES]}}
    if kind == "none" or factor in (None, 1.0):
        return base
    trained = said("rope.scaling.original_context_length")
    scaling = {"rope_type": kind, "factor": factor}
    if kind == "yarn":
        scaling |= {"original_max_position_embeddings": trained, **_yarn(said, factor)}
    return {**base, "rope_scaling": scaling}


def _yarn(said: Callable[..., Any], factor: float) -> Config:
    """Return the settings of YaRN; the format's attention factor multiplies the one that follows from `factor`."""
    more = said("rope.scaling.yarn_ext_factor", 1.0), said("rope.scaling.yarn_log_multiplier", 0.0)
    if not (math.isclose(more[0], 1.0) and math.isclose(more[1], 0.0)):
        raise CoreError("config_value", name="rope.scaling.yarn_*", came=more, allowed="1.0, 0.0")
    strength = said("rope.scaling.attn_factor", said("rope.scaling.yarn_attn_factor", 1.0))
    return {
        "attention_factor": strength * yarn_strength(factor),
        "beta_fast": said("rope.scaling.yarn_beta_fast", 32.0),
        "beta_slow": said("rope.scaling.yarn_beta_slow", 1.0),
    }


def half_split(heads: str) -> Callable[[Tensor, Config], Tensor]:
    """Return the function that undoes GGUF's order of rotary pairs in a projection whose heads the config counts
    under `heads`.

    GGUF stores neighbouring pairs (0 1)(2 3)...; published safetensors store first halves, then second halves.
    """

    def undo(weight: Tensor, config: Config) -> Tensor:
        pairs = weight.reshape(config[heads], -1, 2, *weight.shape[1:])
        return pairs.transpose(1, 2).reshape(weight.shape)

    return undo


def less_one(weight: Tensor, config: Config) -> Tensor:  # noqa: ARG001
    """Return a gain as its difference from one, where the format stores the gain itself."""
    return weight - 1
