"""Falcon (Almazrouei et al. 2023, section 4.2) in its three forms: a head of keys and values for each head of queries,
one for all of them, or (40B) one for each group of them."""

from __future__ import annotations

from torch import nn

from core.blocks import Embeddings, FeedForward, Parallel, PreNorm, SharedNorm
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import ALL, NONE, SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, refuse, settled
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import reach, rotary
from core.models.splits import interleaved, mixer_parts
from core.positions import Alibi

_LAYER = "h.{n}"

NAMES = {
    "word_embeddings": "decoder.embed.words",
    f"{_LAYER}.input_layernorm": f"{LAYER}.mixer_norm",
    f"{_LAYER}.ln_attn": f"{LAYER}.mixer_norm",
    f"{_LAYER}.self_attention.dense": f"{LAYER}.mixer.output",
    f"{_LAYER}.post_attention_layernorm": f"{LAYER}.feed_norm",
    f"{_LAYER}.ln_mlp": f"{LAYER}.feed_norm",
    f"{_LAYER}.mlp.dense_h_to_4h": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.dense_4h_to_h": f"{LAYER}.feed_forward.down",
    "ln_f": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "activation": "gelu",
    "alibi": False,
    "bias": False,
    "ffn_hidden_size": None,
    "layer_norm_epsilon": 1e-5,
    "max_position_embeddings": 2048,
    "multi_query": True,
    "num_kv_heads": None,
    "num_ln_in_parallel_attn": None,
    "parallel_attn": True,
    "tie_word_embeddings": True,
}

ALIASES = {
    "n_embed": "hidden_size",
    "n_head": "num_attention_heads",
    "n_head_kv": "num_kv_heads",
    "n_layer": "num_hidden_layers",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Falcon config, in any of its spellings; the first does not say which of the forms it is,
    but the two norms of the 40B form are in the file.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    two_norms = any(".ln_attn." in name for name in stored)
    config = settled(config, {**DEFAULTS, "new_decoder_architecture": two_norms}, ALIASES)
    refuse(config, {"apply_residual_connection_post_layernorm": False})
    if config["new_decoder_architecture"]:
        refuse(config, {"parallel_attn": True})
    elif config["parallel_attn"]:
        refuse(config, {"num_ln_in_parallel_attn": 1 if config["num_ln_in_parallel_attn"] == 1 else None})
    spec = _spec(config)
    sharing = spec.heads.count // spec.heads.groups
    fused = interleaved(mixer_parts(f"{LAYER}.mixer"), (sharing, 1, 1), spec.heads.head_width)
    return decoder(
        spec,
        [_layer(config, spec) for _ in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "transformer."),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        splits={f"{_LAYER}.self_attention.query_key_value": fused},
        prefixes=("transformer.",),
        ignored={f"{_LAYER}.self_attention.rotary_emb.": "buffer"},
    )


def _spec(config: Config) -> Spec:
    width, count = config["hidden_size"], config["num_attention_heads"]
    groups = 1 if config["multi_query"] else count
    if config["new_decoder_architecture"]:
        groups = config["num_kv_heads"] or count
    heads = even_heads(width, count, groups=groups, biases=ALL if config["bias"] else NONE)
    return Spec(
        family="falcon",
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=heads,
        width=width,
        inner=config["ffn_hidden_size"] or 4 * width,
        pieces=config["vocab_size"],
        positions=0 if config["alibi"] else reach(config, rotary(config, heads.head_width)),
    )


def _layer(config: Config, spec: Spec) -> nn.Module:
    parts = {
        "mixer": _mixer(config, spec),
        "mixer_norm": normed(config, spec.width),
        "feed_forward": FeedForward(
            spec.width, spec.inner, act=activation(config["activation"]), bias=bool(config["bias"])
        ),
    }
    norms = config["num_ln_in_parallel_attn"] or (2 if config["new_decoder_architecture"] else 1)
    if config["parallel_attn"] and norms == 1:
        return SharedNorm(**parts)
    wiring = Parallel if config["parallel_attn"] else PreNorm
    return wiring(**parts, feed_norm=normed(config, spec.width))


def _mixer(config: Config, spec: Spec) -> SelfAttention:
    """Linear biases are rounded to bfloat16, and scaled like the scores, as the model was trained."""
    heads, rule = spec.heads, Causal()
    if config["alibi"]:
        far = Alibi(heads=heads.count, scale=heads.scale, coarse=True)
        return SelfAttention(spec.width, heads, rule=rule, relative=far)
    return SelfAttention(spec.width, heads, rule=rule, positions=rotary(config, heads.head_width))


FALCON = Family(model_type="falcon", former=("RefinedWeb", "RefinedWebModel"), plan=plan)
