"""OPT (Zhang et al. 2022, section 2.1): learned positions that begin at row 2, norms before the parts or (350M) after,
and pieces whose rows may be narrower than the layers."""

from __future__ import annotations

from collections import OrderedDict

from torch import nn

from core.blocks import FeedForward, LayerNorm, PostNorm, PreNorm, ShiftedEmbeddings
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import ALL, NONE, SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, settled
from core.models.plan import Config, Family, Plan, Spec

_LAYER = "layers.{n}"

NAMES = {
    "embed_tokens": "decoder.embed.words",
    "embed_positions": "decoder.embed.positions",
    "project_in": "decoder.embed.widen",
    f"{_LAYER}.self_attn.q_proj": f"{LAYER}.mixer.queries",
    f"{_LAYER}.self_attn.k_proj": f"{LAYER}.mixer.keys",
    f"{_LAYER}.self_attn.v_proj": f"{LAYER}.mixer.values",
    f"{_LAYER}.self_attn.out_proj": f"{LAYER}.mixer.output",
    f"{_LAYER}.self_attn_layer_norm": f"{LAYER}.mixer_norm",
    f"{_LAYER}.fc1": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.fc2": f"{LAYER}.feed_forward.down",
    f"{_LAYER}.final_layer_norm": f"{LAYER}.feed_norm",
    "final_layer_norm": "decoder.final.norm",
    "project_out": "decoder.final.narrow",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "_remove_final_layer_norm": False,
    "activation_function": "relu",
    "do_layer_norm_before": True,
    "enable_bias": True,
    "ffn_dim": 3072,
    "layer_norm_elementwise_affine": True,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": True,
    "word_embed_proj_dim": None,
}
SHIFT = 2


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published OPT config.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, DEFAULTS)
    spec = _spec(config)
    narrow = config["word_embed_proj_dim"] or spec.width
    narrow = 0 if narrow == spec.width else narrow
    return decoder(
        spec,
        [_layer(config, spec) for _ in range(spec.layers)],
        embed=ShiftedEmbeddings(spec.pieces, spec.width, positions=spec.positions, shift=SHIFT, narrow=narrow),
        final=_final(config, spec, narrow),
        output=head(config, spec, stored, "model.", width=narrow),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        prefixes=("model.", "decoder."),
    )


def _spec(config: Config) -> Spec:
    width, biases = config["hidden_size"], ALL if config["enable_bias"] else NONE
    return Spec(
        family="opt",
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=even_heads(width, config["num_attention_heads"], biases=biases),
        width=width,
        inner=config["ffn_dim"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
    )


def _norm(config: Config, spec: Spec) -> nn.Module:
    if config["layer_norm_elementwise_affine"]:
        return LayerNorm(spec.width, epsilon=1e-5)
    return nn.LayerNorm(spec.width, eps=1e-5, elementwise_affine=False)


def _final(config: Config, spec: Spec, narrow: int) -> nn.Module:
    parts: OrderedDict[str, nn.Module] = OrderedDict()
    if config["do_layer_norm_before"] and not config["_remove_final_layer_norm"]:
        parts["norm"] = _norm(config, spec)
    if narrow:
        parts["narrow"] = nn.Linear(spec.width, narrow, bias=False)
    return nn.Sequential(parts)


def _layer(config: Config, spec: Spec) -> PreNorm | PostNorm:
    wiring = PreNorm if config["do_layer_norm_before"] else PostNorm
    act = activation(config["activation_function"])
    return wiring(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal()),
        mixer_norm=_norm(config, spec),
        feed_forward=FeedForward(spec.width, spec.inner, act=act, bias=config["enable_bias"]),
        feed_norm=_norm(config, spec),
    )


OPT = Family(model_type="opt", plan=plan)
