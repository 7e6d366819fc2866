"""BLOOM (BigScience 2022, section 3.2): linear biases instead of positions, a norm after the embeddings, and queries,
keys and values stored head by head."""

from __future__ import annotations

from core.blocks import Embeddings, FeedForward, NormedStream, PreNorm
from core.blocks.feed_forward import activation
from core.masks import Causal
from core.mixers import SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, settled
from core.models.plan import Config, Family, Plan, Spec
from core.models.splits import interleaved, mixer_parts
from core.positions import Alibi

_LAYER = "h.{n}"

NAMES = {
    "word_embeddings": "decoder.embed.words",
    "word_embeddings_layernorm": "decoder.embed.norm",
    f"{_LAYER}.input_layernorm": f"{LAYER}.mixer_norm",
    f"{_LAYER}.self_attention.dense": f"{LAYER}.mixer.output",
    f"{_LAYER}.post_attention_layernorm": f"{LAYER}.feed_norm",
    f"{_LAYER}.mlp.dense_h_to_4h": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.dense_4h_to_h": f"{LAYER}.feed_forward.down",
    "ln_f": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "apply_residual_connection_post_layernorm": False,
    "layer_norm_epsilon": 1e-5,
    "tie_word_embeddings": True,
}
ALIASES = {"n_embed": "hidden_size", "num_attention_heads": "n_head", "num_hidden_layers": "n_layer"}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published BLOOM config; `pretraining_tp` and `slow_but_exact` only say how sums are rounded.

    Raises:
        CoreError: `config_value`.
    """
    config = settled(config, DEFAULTS, ALIASES)
    spec = _spec(config)
    return decoder(
        spec,
        [_layer(config, spec) for _ in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width, norm=normed(config, spec.width)),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "transformer."),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        splits={
            f"{_LAYER}.self_attention.query_key_value": interleaved(
                mixer_parts(f"{LAYER}.mixer"), (1, 1, 1), spec.heads.head_width
            )
        },
        prefixes=("transformer.",),
    )


def _spec(config: Config) -> Spec:
    width = config["hidden_size"]
    return Spec(
        family="bloom",
        kind="decoder",
        layers=config["n_layer"],
        heads=even_heads(width, config["n_head"]),
        width=width,
        inner=4 * width,
        pieces=config["vocab_size"],
        positions=0,
    )


def _layer(config: Config, spec: Spec) -> PreNorm | NormedStream:
    wiring = NormedStream if config["apply_residual_connection_post_layernorm"] else PreNorm
    return wiring(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal(), relative=Alibi(heads=spec.heads.count)),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation("gelu_new")),
        feed_norm=normed(config, spec.width),
    )


BLOOM = Family(model_type="bloom", plan=plan)
