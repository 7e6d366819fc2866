"""BERT (Devlin et al. 2019): a post-norm encoder with learned positions; its relatives build on these parts."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from core.blocks import Bend, ClassHead, Embeddings, FeedForward, LayerNorm, MaskedLanguageHead, PostNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Everyone
from core.mixers import ALL, Heads, SelfAttention
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head

USUAL = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}
WORDS = "encoder.embed.words.weight"
ROWS = "output.pieces.weight"

EMBEDDINGS = {
    "embeddings.word_embeddings": "encoder.embed.words",
    "embeddings.position_embeddings": "encoder.embed.positions",
    "embeddings.token_type_embeddings": "encoder.embed.types",
    "embeddings.LayerNorm": "encoder.embed.norm",
}
PARTS = {
    "attention.self.query": "mixer.queries",
    "attention.self.key": "mixer.keys",
    "attention.self.value": "mixer.values",
    "attention.output.dense": "mixer.output",
    "attention.output.LayerNorm": "mixer_norm",
    "intermediate.dense": "feed_forward.up",
    "output.dense": "feed_forward.down",
    "output.LayerNorm": "feed_norm",
}
CLASSES = {
    "pooler.dense": "output.before.dense",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}
BUFFERS = {"embeddings.position_ids": "buffer", "embeddings.token_type_ids": "buffer"}


def layers(parts: Mapping[str, str], stem: str = "encoder.layer.{n}") -> dict[str, str]:
    """Return the names of a layer's parts, as they are published under `stem`."""
    return {f"{stem}.{theirs}": f"encoder.layers.{{n}}.{ours}" for theirs, ours in parts.items()}


def pieces_head(stem: str, dense: str, norm: str) -> dict[str, str]:
    """Return the names of a head for hidden pieces; its bias lies beside its rows or in them."""
    return {
        f"{stem}.{dense}": "output.dense",
        f"{stem}.{norm}": "output.norm",
        f"{stem}.decoder": "output.pieces",
        stem: "output.pieces",
    }


NAMES = {
    **EMBEDDINGS,
    **layers(PARTS),
    **pieces_head("cls.predictions", "transform.dense", "transform.LayerNorm"),
    **CLASSES,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published BERT config.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch of the family that is not supported.
    """
    refuse(config)
    config = {**USUAL, **config}
    numbers = spec("bert", config)
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=torch.tanh))
    output = head or pieces(config, numbers, stored, "cls.predictions.")
    return Plan(
        spec=numbers,
        sides=(encoder(config, numbers),),
        output=output,
        names=NAMES,
        prefixes=("bert.",),
        tied=tied(config),
        ignored={**BUFFERS, **pooler(output), "cls.seq_relationship.": "pooler"},
    )


def refuse(config: Config) -> None:
    """Refuse what turns an encoder of this kind into something else.

    Raises:
        CoreError: `config_value`.
    """
    kind = config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise CoreError("config_value", name="position_embedding_type", came=kind, allowed="absolute")
    for switch in ("is_decoder", "add_cross_attention"):
        if config.get(switch):
            raise CoreError("config_value", name=switch, came=True, allowed=False)


def spec(family: str, config: Config, *, rows: int = 0) -> Spec:
    """Return the numbers of a model whose config has BERT's keys; the first `rows` position rows serve nobody.

    Raises:
        CoreError: `config_value` when the heads do not divide the width.
    """
    width, count = config["hidden_size"], config["num_attention_heads"]
    if width % count:
        raise CoreError("config_value", name="num_attention_heads", came=count, allowed=f"hidden_size / {count}")
    head_width = width // count
    return Spec(
        family=family,
        kind="encoder",
        layers=config["num_hidden_layers"],
        heads=Heads(count=count, groups=count, head_width=head_width, scale=head_width**-0.5, biases=ALL),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"] - rows,
        types=config["type_vocab_size"],
    )


def norm(config: Config, width: int) -> LayerNorm:
    """Return a norm as the config wants it."""
    return LayerNorm(width, epsilon=config["layer_norm_eps"])


def encoder(config: Config, numbers: Spec) -> Side:
    """Return the stack of layers over the sum of three embeddings."""
    embed = Embeddings(
        numbers.pieces,
        numbers.width,
        positions=numbers.positions,
        types=numbers.types,
        norm=norm(config, numbers.width),
    )
    return Side("encoder", embed=embed, layers=[layer(config, numbers) for _ in range(numbers.layers)])


def layer(config: Config, numbers: Spec, mixer: nn.Module | None = None) -> PostNorm:
    """Return one layer; its mixer is plain attention where no other is given."""
    act = activation(config["hidden_act"])
    return PostNorm(
        mixer=mixer or SelfAttention(numbers.width, numbers.heads, rule=Everyone()),
        mixer_norm=norm(config, numbers.width),
        feed_forward=FeedForward(numbers.width, numbers.inner, act=act),
        feed_norm=norm(config, numbers.width),
    )


def pieces(
    config: Config, numbers: Spec, stored: frozenset[str], stem: str, act: str | None = None, inner: int | None = None
) -> MaskedLanguageHead | None:
    """Return the head for hidden pieces that the file has under `stem`; its rows may be narrower than the layers."""
    if not any(name.startswith(stem) for name in stored):
        return None
    return MaskedLanguageHead(
        numbers.width,
        numbers.pieces,
        act=activation(act or config["hidden_act"]),
        norm=norm(config, inner or numbers.width),
        inner=inner,
    )


def tied(config: Config, words: str = WORDS) -> dict[str, str]:
    """Return which parameters are one: the rows of the head and those of the embeddings, unless the config says no."""
    return {ROWS: words} if config.get("tie_word_embeddings", True) else {}


def pooler(output: nn.Module | None) -> dict[str, str]:
    """Return that the pooler may be left out, unless a head of classes stands on it."""
    needed = isinstance(output, ClassHead) and output.whole
    return {} if needed else {"pooler.": "pooler"}


BERT = Family(model_type="bert", plan=plan)
