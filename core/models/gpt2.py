"""GPT-2 (Radford et al. 2019, section 2.3): a pre-norm decoder with learned positions, whose file stores matrices
input by output and queries, keys and values side by side."""

from __future__ import annotations

from dataclasses import replace

from core.blocks import Embeddings, FeedForward, PreNorm
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, refuse, settled
from core.models.plan import Config, Family, Plan, Spec
from core.models.splits import mixer_parts, stacked, turned

_LAYER = "h.{n}"

NAMES = {
    "wte": "decoder.embed.words",
    "wpe": "decoder.embed.positions",
    f"{_LAYER}.ln_1": f"{LAYER}.mixer_norm",
    f"{_LAYER}.ln_2": f"{LAYER}.feed_norm",
    "ln_f": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "n_inner": None,
    "n_positions": 1024,
    "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True,
    "tie_word_embeddings": True,
}
ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published GPT-2 config.

    `reorder_and_upcast_attn` asks for float32 between queries and shares, which is what is computed in by default.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, DEFAULTS, ALIASES)
    refuse(config, {"add_cross_attention": False})
    spec = _spec(config)
    return decoder(
        spec,
        [_layer(config, spec, number) for number in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width, positions=spec.positions),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "transformer."),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        splits={
            f"{_LAYER}.attn.c_attn": stacked(mixer_parts(f"{LAYER}.mixer"), (spec.width,) * 3, over=True),
            f"{_LAYER}.attn.c_proj": turned(f"{LAYER}.mixer.output"),
            f"{_LAYER}.mlp.c_fc": turned(f"{LAYER}.feed_forward.up"),
            f"{_LAYER}.mlp.c_proj": turned(f"{LAYER}.feed_forward.down"),
        },
        prefixes=("transformer.",),
        ignored={f"{_LAYER}.attn.bias": "buffer", f"{_LAYER}.attn.masked_bias": "buffer"},
    )


def _spec(config: Config) -> Spec:
    width = config["n_embd"]
    heads = even_heads(width, config["n_head"])
    return Spec(
        family="gpt2",
        kind="decoder",
        layers=config["n_layer"],
        heads=heads if config["scale_attn_weights"] else replace(heads, scale=1.0),
        width=width,
        inner=config["n_inner"] or 4 * width,
        pieces=config["vocab_size"],
        positions=config["n_positions"],
    )


def _layer(config: Config, spec: Spec, number: int) -> PreNorm:
    weaker = number + 1 if config["scale_attn_by_inverse_layer_idx"] else 1
    heads = replace(spec.heads, scale=spec.heads.scale / weaker)
    return PreNorm(
        mixer=SelfAttention(spec.width, heads, rule=Causal()),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["activation_function"])),
        feed_norm=normed(config, spec.width),
    )


GPT2 = Family(model_type="gpt2", plan=plan)
