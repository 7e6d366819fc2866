"""BERT (Devlin et al. 2019): a post-norm encoder with learned positions."""

from __future__ import annotations

from core.blocks import Embeddings, FeedForward, LayerNorm, MaskedLanguageHead, PostNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Everyone
from core.mixers import ALL, Heads, SelfAttention
from core.models.plan import Config, Family, Plan, Side, Spec

_EMBED, _LAYER = "embeddings", "encoder.layer.{n}"
_HEAD = "cls.predictions"

NAMES = {
    f"{_EMBED}.word_embeddings": "encoder.embed.words",
    f"{_EMBED}.position_embeddings": "encoder.embed.positions",
    f"{_EMBED}.token_type_embeddings": "encoder.embed.types",
    f"{_EMBED}.LayerNorm": "encoder.embed.norm",
    f"{_LAYER}.attention.self.query": "encoder.layers.{n}.mixer.queries",
    f"{_LAYER}.attention.self.key": "encoder.layers.{n}.mixer.keys",
    f"{_LAYER}.attention.self.value": "encoder.layers.{n}.mixer.values",
    f"{_LAYER}.attention.output.dense": "encoder.layers.{n}.mixer.output",
    f"{_LAYER}.attention.output.LayerNorm": "encoder.layers.{n}.mixer_norm",
    f"{_LAYER}.intermediate.dense": "encoder.layers.{n}.feed_forward.up",
    f"{_LAYER}.output.dense": "encoder.layers.{n}.feed_forward.down",
    f"{_LAYER}.output.LayerNorm": "encoder.layers.{n}.feed_norm",
    f"{_HEAD}.transform.dense": "output.dense",
    f"{_HEAD}.transform.LayerNorm": "output.norm",
    f"{_HEAD}.decoder": "output.pieces",
    f"{_HEAD}": "output.pieces",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published BERT config.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch of the family that is not supported.
    """
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise CoreError(
            "config_value", name="position_embedding_type", came=config["position_embedding_type"], allowed="absolute"
        )
    if config.get("is_decoder"):
        raise CoreError("config_value", name="is_decoder", came=True, allowed=False)
    spec = _spec(config)
    has_head = any(name.startswith(f"{_HEAD}.") for name in stored)
    return Plan(
        spec=spec,
        sides=(_encoder(config, spec),),
        output=_head(config, spec) if has_head else None,
        names=NAMES,
        prefixes=("bert.",),
        tied={"output.pieces.weight": "encoder.embed.words.weight"},
        ignored={"embeddings.position_ids": "buffer", "pooler.": "pooler", "cls.seq_relationship.": "pooler"},
    )


def _spec(config: Config) -> Spec:
    width, count = config["hidden_size"], config["num_attention_heads"]
    if width % count:
        raise CoreError("config_value", name="num_attention_heads", came=count, allowed=f"hidden_size / {count}")
    head_width = width // count
    return Spec(
        family="bert",
        kind="encoder",
        layers=config["num_hidden_layers"],
        heads=Heads(count=count, groups=count, head_width=head_width, scale=head_width**-0.5, biases=ALL),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
        types=config.get("type_vocab_size", 2),
    )


def _norm(config: Config, spec: Spec) -> LayerNorm:
    return LayerNorm(spec.width, epsilon=config.get("layer_norm_eps", 1e-12))


def _encoder(config: Config, spec: Spec) -> Side:
    norm = _norm(config, spec)
    embed = Embeddings(spec.pieces, spec.width, positions=spec.positions, types=spec.types, norm=norm)
    return Side("encoder", embed=embed, layers=[_layer(config, spec) for _ in range(spec.layers)])


def _layer(config: Config, spec: Spec) -> PostNorm:
    act = activation(config.get("hidden_act", "gelu"))
    return PostNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Everyone()),
        mixer_norm=_norm(config, spec),
        feed_forward=FeedForward(spec.width, spec.inner, act=act),
        feed_norm=_norm(config, spec),
    )


def _head(config: Config, spec: Spec) -> MaskedLanguageHead:
    act = activation(config.get("hidden_act", "gelu"))
    return MaskedLanguageHead(spec.width, spec.pieces, act=act, norm=_norm(config, spec))


BERT = Family(model_type="bert", plan=plan)
