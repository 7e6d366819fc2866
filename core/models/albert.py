"""ALBERT (Lan et al. 2020): narrow embeddings, and one set of parameters for many layers."""

from __future__ import annotations

import torch
from torch import nn

from core.blocks import Bend, Embeddings, Projected
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head

PARTS = {
    "attention.query": "mixer.queries",
    "attention.key": "mixer.keys",
    "attention.value": "mixer.values",
    "attention.dense": "mixer.output",
    "attention.LayerNorm": "mixer_norm",
    "ffn": "feed_forward.up",
    "ffn_output": "feed_forward.down",
    "full_layer_layer_norm": "feed_norm",
}
NAMES = {
    **{theirs: ours.replace("embed.", "embed.narrow.") for theirs, ours in bert.EMBEDDINGS.items()},
    "encoder.embedding_hidden_mapping_in": "encoder.embed.widen",
    **bert.pieces_head("predictions", "dense", "LayerNorm"),
    "pooler": "output.before.dense",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}
USUAL = {
    **bert.USUAL,
    "vocab_size": 30000,
    "embedding_size": 128,
    "hidden_size": 4096,
    "num_hidden_groups": 1,
    "inner_group_num": 1,
    "num_attention_heads": 64,
    "intermediate_size": 16384,
    "hidden_act": "gelu_new",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published ALBERT config.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch that is not supported.
    """
    bert.refuse(config)
    config = {**USUAL, **config}
    order = groups(config)
    numbers = bert.spec("albert", {**config, "num_hidden_layers": len(order)})
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=torch.tanh))
    output = head or bert.pieces(config, numbers, stored, "predictions.", inner=config["embedding_size"])
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers, order),),
        output=output,
        names={**NAMES, **_layers(order)},
        prefixes=("albert.",),
        tied=bert.tied(config, words="encoder.embed.narrow.words.weight"),
        ignored={**bert.BUFFERS, **bert.pooler(output), "sop_classifier.": "pooler"},
    )


def groups(config: Config) -> list[tuple[int, int]]:
    """Return which group, and which part of it, does the work at each depth (section 3.1)."""
    depth, count, inside = (config[key] for key in ("num_hidden_layers", "num_hidden_groups", "inner_group_num"))
    return [(int(number / (depth / count)), part) for number in range(depth) for part in range(inside)]


def _layers(order: list[tuple[int, int]]) -> dict[str, str]:
    return {
        f"encoder.albert_layer_groups.{group}.albert_layers.{part}.{theirs}": (
            f"encoder.layers.{order.index((group, part))}.{ours}"
        )
        for group, part in order
        for theirs, ours in PARTS.items()
    }


def _encoder(config: Config, numbers: Spec, order: list[tuple[int, int]]) -> Side:
    narrow = config["embedding_size"]
    embed = Embeddings(
        numbers.pieces, narrow, positions=numbers.positions, types=numbers.types, norm=bert.norm(config, narrow)
    )
    shared = {place: bert.layer(config, numbers) for place in order}
    widened = Projected(embed, nn.Linear(narrow, numbers.width))
    return Side("encoder", embed=widened, layers=[shared[place] for place in order])


ALBERT = Family(model_type="albert", plan=plan)
