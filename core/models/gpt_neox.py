"""GPT-NeoX and Pythia (Black et al. 2022, section 2.1; Biderman et al. 2023): rotary positions on a part of each head,
both parts of a layer at once or one after the other, and queries, keys and values stored head by head."""

from __future__ import annotations

from core.blocks import Embeddings, FeedForward, Parallel, PreNorm
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import ALL, NONE, SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, settled
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import reach, rotary
from core.models.splits import interleaved, mixer_parts
from core.positions import Rotary

_LAYER = "layers.{n}"

NAMES = {
    "embed_in": "decoder.embed.words",
    f"{_LAYER}.input_layernorm": f"{LAYER}.mixer_norm",
    f"{_LAYER}.attention.dense": f"{LAYER}.mixer.output",
    f"{_LAYER}.post_attention_layernorm": f"{LAYER}.feed_norm",
    f"{_LAYER}.mlp.dense_h_to_4h": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.dense_4h_to_h": f"{LAYER}.feed_forward.down",
    "final_layer_norm": "decoder.final",
    "embed_out": "output.pieces",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "attention_bias": True,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-5,
    "max_position_embeddings": 2048,
    "rotary_emb_base": 10_000,
    "rotary_pct": 0.25,
    "tie_word_embeddings": False,
    "use_parallel_residual": True,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published GPT-NeoX config, in either of its two spellings.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = settled(config, DEFAULTS)
    heads = even_heads(config["hidden_size"], config["num_attention_heads"])
    turned = rotary(config, heads.head_width, base=float(config["rotary_emb_base"]), share=config["rotary_pct"])
    spec = _spec(config, turned)
    return decoder(
        spec,
        [_layer(config, spec, turned) for _ in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "gpt_neox."),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        splits={
            f"{_LAYER}.attention.query_key_value": interleaved(
                mixer_parts(f"{LAYER}.mixer"), (1, 1, 1), heads.head_width
            )
        },
        prefixes=("gpt_neox.",),
        ignored={
            f"{_LAYER}.attention.bias": "buffer",
            f"{_LAYER}.attention.masked_bias": "buffer",
            f"{_LAYER}.attention.rotary_emb.": "buffer",
        },
    )


def _spec(config: Config, turned: Rotary) -> Spec:
    width, biases = config["hidden_size"], ALL if config["attention_bias"] else NONE
    return Spec(
        family="gpt_neox",
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=even_heads(width, config["num_attention_heads"], biases=biases),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=reach(config, turned),
    )


def _layer(config: Config, spec: Spec, turned: Rotary) -> Parallel | PreNorm:
    wiring = Parallel if config["use_parallel_residual"] else PreNorm
    return wiring(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal(), positions=turned),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["hidden_act"])),
        feed_norm=normed(config, spec.width),
    )


GPT_NEOX = Family(model_type="gpt_neox", plan=plan)
