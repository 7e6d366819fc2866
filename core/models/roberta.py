"""RoBERTa (Liu et al. 2019) and XLM-RoBERTa (Conneau et al. 2020): BERT whose positions start after the padding id."""

from __future__ import annotations

from functools import partial

import torch

from core.blocks import Bend, CountedEmbeddings
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head

NAMES = {
    **bert.EMBEDDINGS,
    **bert.layers(bert.PARTS),
    **bert.pieces_head("lm_head", "dense", "layer_norm"),
    "classifier.dense": "output.before.dense",
    "classifier.out_proj": "output.classes",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}


def plan(config: Config, stored: frozenset[str], *, family: str) -> Plan:
    """Translate a published config of either family.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch that is not supported.
    """
    bert.refuse(config)
    config = {**bert.USUAL, "vocab_size": 50265, **config}
    pad = config.get("pad_token_id", 1)
    numbers = bert.spec(family, config, rows=pad + 1)
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=torch.tanh))
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers, pad),),
        output=head or bert.pieces(config, numbers, stored, "lm_head.", act="gelu"),
        names=NAMES,
        prefixes=("roberta.",),
        tied=bert.tied(config),
        ignored={**bert.BUFFERS, "pooler.": "pooler"},
    )


def _encoder(config: Config, numbers: Spec, pad: int) -> Side:
    embed = CountedEmbeddings(
        numbers.pieces,
        numbers.width,
        pad=pad,
        positions=config["max_position_embeddings"],
        types=numbers.types,
        norm=bert.norm(config, numbers.width),
    )
    return Side("encoder", embed=embed, layers=[bert.layer(config, numbers) for _ in range(numbers.layers)])


ROBERTA = Family(model_type="roberta", plan=partial(plan, family="roberta"))
XLM_ROBERTA = Family(model_type="xlm-roberta", plan=partial(plan, family="xlm-roberta"))
