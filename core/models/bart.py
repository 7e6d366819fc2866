"""BART (Lewis et al. 2020): a post-norm encoder-decoder with learned positions from row 2 on; its relatives build on
these parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from core.blocks import Bend, ClassHead, Embeddings, FeedForward, LanguageHead, LayerNorm, PostNorm, ShiftedEmbeddings
from core.blocks.feed_forward import activation
from core.blocks.heads import last
from core.blocks.layers import Layer
from core.errors import CoreError
from core.masks import Causal, Everyone
from core.mixers import ALL, CrossAttention, Heads, SelfAttention
from core.models.answers import answer
from core.models.decoder import even_heads, settled
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.splits import Split
from core.models.tasks import classes

MIXER = {"q_proj": "queries", "k_proj": "keys", "v_proj": "values", "out_proj": "output"}
LAYER = {
    "self_attn_layer_norm": "mixer_norm",
    "encoder_attn_layer_norm": "cross_norm",
    "fc1": "feed_forward.up",
    "fc2": "feed_forward.down",
    "final_layer_norm": "feed_norm",
    **{f"self_attn.{theirs}": f"mixer.{ours}" for theirs, ours in MIXER.items()},
    **{f"encoder_attn.{theirs}": f"cross.{ours}" for theirs, ours in MIXER.items()},
}
SIDE = {
    "embed_positions": "embed.positions",
    "layernorm_embedding": "embed.norm",
    "layer_norm": "final",
    **{f"layers.{{n}}.{theirs}": f"layers.{{n}}.{ours}" for theirs, ours in LAYER.items()},
}
WORDS, OWN_WORDS = "encoder.embed.words", "decoder.embed.words"
NAMES = {
    "shared": WORDS,
    "encoder.embed_tokens": WORDS,
    "decoder.embed_tokens": WORDS,
    **{f"{side}.{theirs}": f"{side}.{ours}" for side in ("encoder", "decoder") for theirs, ours in SIDE.items()},
    "lm_head": "output.pieces",
    "classification_head.dense": "output.before.dense",
    "classification_head.out_proj": "output.classes",
    "qa_outputs": "output.classes",
}
SPLITS: dict[str, Split] = {"": lambda bias: {"output.pieces": bias.flatten()}}
COPIES = {"encoder.embed_tokens.": "copy", "decoder.embed_tokens.": "copy"}
BUFFERS = {"encoder.version": "buffer", "decoder.version": "buffer"}
USUAL = {
    "vocab_size": 50265,
    "max_position_embeddings": 1024,
    "encoder_layers": 12,
    "encoder_ffn_dim": 4096,
    "encoder_attention_heads": 16,
    "decoder_layers": 12,
    "decoder_ffn_dim": 4096,
    "decoder_attention_heads": 16,
    "activation_function": "gelu",
    "d_model": 1024,
    "scale_embedding": False,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "tie_word_embeddings": True,
    "num_labels": 3,
}
SWITCHES = {"normalize_before": False, "add_final_layer_norm": False, "normalize_embedding": True}
SHIFT, EPSILON = 2, 1e-5

Embed = Callable[[], Embeddings]


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published BART config.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, USUAL)
    agree(config, SWITCHES)
    spec = numbers("bart", config)
    both = sides(config, spec, lambda: learned(config, spec), wiring=PostNorm, shared=shared(config, stored))
    return whole(config, spec, both, stored)


def agree(config: Config, switches: Mapping[str, bool]) -> None:
    """Refuse switches of older configs that say something else than what the family is.

    Raises:
        CoreError: `config_value`.
    """
    for name, allowed in switches.items():
        if config.get(name, allowed) != allowed:
            raise CoreError("config_value", name=name, came=config[name], allowed=allowed)


def numbers(family: str, config: Config, *, biases: frozenset[str] = ALL, **other: Any) -> Spec:
    """Return the numbers of a model whose config has BART's keys; `other` are those that it has besides."""
    return Spec(
        family=family,
        kind="encoder-decoder",
        layers=config["encoder_layers"],
        decoder_layers=config["decoder_layers"],
        heads=even_heads(config["d_model"], config["encoder_attention_heads"], biases=biases),
        width=config["d_model"],
        inner=config["encoder_ffn_dim"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
        **answer(config),
        **other,
    )


def learned(config: Config, spec: Spec) -> ShiftedEmbeddings:
    """Return embeddings with learned positions from row 2 on, and a norm after them."""
    norm = LayerNorm(spec.width, epsilon=EPSILON)
    scale = scaled(config)
    return ShiftedEmbeddings(spec.pieces, spec.width, positions=spec.positions, shift=SHIFT, norm=norm, scale=scale)


def scaled(config: Config) -> float:
    """Return what the rows of pieces are multiplied by."""
    return float(config["d_model"]) ** 0.5 if config["scale_embedding"] else 1.0


def shared(config: Config, stored: frozenset[str]) -> bool:
    """Return whether both sides look pieces up in one table: always, unless nothing is tied and each has its own."""
    own = {f"{prefix}{name}weight" for prefix in ("", "model.") for name in COPIES}
    return config["tie_word_embeddings"] or len(own & stored) < len(COPIES)


def sides(
    config: Config, spec: Spec, embed: Embed, *, wiring: type[Layer], shared: bool, final: bool = False
) -> tuple[Side, Side]:
    """Return both sides, whose pieces have the same rows where they are `shared`; `final` adds a norm after each."""
    one, other = embed(), embed()
    if shared:
        other.words = one.words
    return (
        side("encoder", config, spec, one, wiring=wiring, final=final),
        side("decoder", config, spec, other, wiring=wiring, final=final),
    )


def side(name: str, config: Config, spec: Spec, embed: nn.Module, *, wiring: type[Layer], final: bool) -> Side:
    """Return one side."""
    count, biases = config[f"{name}_attention_heads"], spec.heads.biases
    heads = even_heads(spec.width, count, biases=biases)
    layers = [layer(name, config, heads, wiring) for _ in range(config[f"{name}_layers"])]
    return Side(name, embed=embed, layers=layers, final=LayerNorm(spec.width, epsilon=EPSILON) if final else None)


def layer(name: str, config: Config, heads: Heads, wiring: type[Layer]) -> Layer:
    """Return one layer; the decoder's reads the encoder's states between looking around and thinking."""
    width, inner = config["d_model"], config[f"{name}_ffn_dim"]
    reads = name == "encoder"
    return wiring(
        mixer=SelfAttention(width, heads, rule=Everyone() if reads else Causal()),
        mixer_norm=LayerNorm(width, epsilon=EPSILON),
        cross=None if reads else CrossAttention(width, heads, rule=Everyone()),
        cross_norm=None if reads else LayerNorm(width, epsilon=EPSILON),
        feed_forward=FeedForward(width, inner, act=activation(config["activation_function"])),
        feed_norm=LayerNorm(width, epsilon=EPSILON),
    )


def whole(
    config: Config,
    spec: Spec,
    both: tuple[Side, Side],
    stored: frozenset[str],
    *,
    names: Mapping[str, str] | None = None,
    ignored: Mapping[str, str] | None = None,
) -> Plan:
    """Return the plan; where the config ties them, the rows of the head are those of the decoder's pieces.

    `names` and `ignored` are what a family has besides.
    """
    apart = both[1].embed.words is not getattr(both[0].embed, "words", None)
    own, copied = (
        {"decoder.embed_tokens": OWN_WORDS} if apart else {},
        {"shared.weight", "model.shared.weight"} & stored,
    )
    copies = {"shared.": "idle"} if apart else COPIES if copied else {}
    words = OWN_WORDS if apart else WORDS
    return Plan(
        spec=spec,
        sides=both,
        output=head(config, spec, stored),
        names={**NAMES, **own, **(names or {})},
        splits=SPLITS,
        prefixes=("model.",),
        tied={"output.pieces.weight": f"{words}.weight"} if config["tie_word_embeddings"] else {},
        ignored={**copies, **BUFFERS, **(ignored or {})},
    )


def head(config: Config, spec: Spec, stored: frozenset[str]) -> nn.Module | None:
    """Return the output head that the file ships: of classes, of both ends of an answer in the text, or of pieces."""
    if any(name.startswith("classification_head.") for name in stored):
        return ClassHead(spec.width, classes(config), pick=last, before=Bend(spec.width, act=torch.tanh))
    if any(name.startswith("qa_outputs.") for name in stored):
        return ClassHead(spec.width, 2)
    if not any(name.startswith(("model.", "lm_head.", "proj_out.")) for name in stored):
        return None
    return LanguageHead(spec.width, spec.pieces, bias="final_logits_bias" in stored)


BART = Family(model_type="bart", plan=plan)
