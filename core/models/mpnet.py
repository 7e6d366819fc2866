"""MPNet (Song et al. 2020): BERT without sentence types, with relative buckets beside its learned positions."""

from __future__ import annotations

import torch

from core.blocks import Bend, CountedEmbeddings
from core.errors import CoreError
from core.masks import Everyone
from core.mixers import SelfAttention
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head
from core.positions.buckets import Buckets, Ranges

PAD, RANGES = 1, Ranges(count=32, farthest=128, both=True)
PARTS = {
    "attention.attn.q": "mixer.queries",
    "attention.attn.k": "mixer.keys",
    "attention.attn.v": "mixer.values",
    "attention.attn.o": "mixer.output",
    "attention.LayerNorm": "mixer_norm",
    "intermediate.dense": "feed_forward.up",
    "output.dense": "feed_forward.down",
    "output.LayerNorm": "feed_norm",
}
NAMES = {
    **bert.EMBEDDINGS,
    **bert.layers(PARTS),
    "encoder.relative_attention_bias": "encoder.layers.0.mixer.relative.table",
    **bert.pieces_head("lm_head", "dense", "layer_norm"),
    "classifier.dense": "output.before.dense",
    "classifier.out_proj": "output.classes",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}
USUAL = {**bert.USUAL, "vocab_size": 30527, "relative_attention_num_buckets": 32}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published MPNet config; positions are counted from 2 and distances fall into 32 buckets, whatever the
    config says.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    bert.refuse(config)
    config = {**USUAL, **config, "type_vocab_size": 0}
    numbers = bert.spec("mpnet", config, rows=PAD + 1)
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=torch.tanh))
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers),),
        output=head or bert.pieces(config, numbers, stored, "lm_head.", act="gelu"),
        names=NAMES,
        prefixes=("mpnet.",),
        tied=bert.tied(config),
        ignored={**bert.BUFFERS, "pooler.": "pooler"},
    )


def _encoder(config: Config, numbers: Spec) -> Side:
    rows = config["relative_attention_num_buckets"]
    if rows < RANGES.count:
        raise CoreError("config_value", name="relative_attention_num_buckets", came=rows, allowed=f"≥ {RANGES.count}")
    embed = CountedEmbeddings(
        numbers.pieces,
        numbers.width,
        pad=PAD,
        positions=config["max_position_embeddings"],
        norm=bert.norm(config, numbers.width),
    )
    relative = Buckets(numbers.heads.count, rows=rows, ranges=RANGES)
    mixers = [
        SelfAttention(numbers.width, numbers.heads, rule=Everyone(), relative=relative) for _ in range(numbers.layers)
    ]
    return Side("encoder", embed=embed, layers=[bert.layer(config, numbers, mixer) for mixer in mixers])


MPNET = Family(model_type="mpnet", plan=plan)
