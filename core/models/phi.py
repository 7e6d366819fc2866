"""Phi (Gunasekar et al. 2023; Li et al. 2023): rotary positions on a part of each head, both parts of a layer at once
behind one norm, biases everywhere."""

from __future__ import annotations

from core.blocks import Embeddings, FeedForward, SharedNorm
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import HeadNorms, SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, settled
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import reach, rotary

_LAYER = "layers.{n}"

NAMES = {
    "embed_tokens": "decoder.embed.words",
    f"{_LAYER}.input_layernorm": f"{LAYER}.mixer_norm",
    f"{_LAYER}.self_attn.q_proj": f"{LAYER}.mixer.queries",
    f"{_LAYER}.self_attn.k_proj": f"{LAYER}.mixer.keys",
    f"{_LAYER}.self_attn.v_proj": f"{LAYER}.mixer.values",
    f"{_LAYER}.self_attn.dense": f"{LAYER}.mixer.output",
    f"{_LAYER}.self_attn.q_layernorm": f"{LAYER}.mixer.norms.queries",
    f"{_LAYER}.self_attn.k_layernorm": f"{LAYER}.mixer.norms.keys",
    f"{_LAYER}.mlp.fc1": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.fc2": f"{LAYER}.feed_forward.down",
    "final_layernorm": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "hidden_act": "gelu_new",
    "layer_norm_eps": 1e-5,
    "max_position_embeddings": 2048,
    "num_key_value_heads": None,
    "qk_layernorm": False,
    "tie_word_embeddings": False,
}
SHARE = 0.5


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Phi config, in either of its two spellings.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = settled(config, DEFAULTS)
    spec = _spec(config)
    return decoder(
        spec,
        [_layer(config, spec) for _ in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "model.", bias=True),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        prefixes=("model.",),
        ignored={f"{_LAYER}.self_attn.rotary_emb.": "buffer"},
    )


def _spec(config: Config) -> Spec:
    width = config["hidden_size"]
    heads = even_heads(width, config["num_attention_heads"], groups=config["num_key_value_heads"])
    return Spec(
        family="phi",
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=heads,
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=reach(config, rotary(config, heads.head_width, share=SHARE)),
    )


def _layer(config: Config, spec: Spec) -> SharedNorm:
    head_width = spec.heads.head_width
    norms = HeadNorms(lambda: normed(config, head_width)) if config["qk_layernorm"] else None
    turned = rotary(config, head_width, share=SHARE)
    return SharedNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal(), positions=turned, norms=norms),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["hidden_act"])),
    )


PHI = Family(model_type="phi", plan=plan)
