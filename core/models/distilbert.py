"""DistilBERT (Sanh et al. 2019): a BERT of fewer layers, without sentence types and without pooler."""

from __future__ import annotations

from torch.nn.functional import relu

from core.blocks import Bend
from core.models import bert
from core.models.plan import Config, Family, Plan
from core.models.tasks import class_head

PARTS = {
    "attention.q_lin": "mixer.queries",
    "attention.k_lin": "mixer.keys",
    "attention.v_lin": "mixer.values",
    "attention.out_lin": "mixer.output",
    "sa_layer_norm": "mixer_norm",
    "ffn.lin1": "feed_forward.up",
    "ffn.lin2": "feed_forward.down",
    "output_layer_norm": "feed_norm",
}
NAMES = {
    **bert.EMBEDDINGS,
    **bert.layers(PARTS, stem="transformer.layer.{n}"),
    "vocab_transform": "output.dense",
    "vocab_layer_norm": "output.norm",
    "vocab_projector": "output.pieces",
    "pre_classifier": "output.before.dense",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}
KEYS = {
    "hidden_size": ("dim", 768),
    "num_hidden_layers": ("n_layers", 6),
    "num_attention_heads": ("n_heads", 12),
    "intermediate_size": ("hidden_dim", 3072),
    "hidden_act": ("activation", "gelu"),
    "max_position_embeddings": ("max_position_embeddings", 512),
    "vocab_size": ("vocab_size", 30522),
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published DistilBERT config; its norms' epsilon is fixed, whatever the config says.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    same = {ours: config.get(theirs, usual) for ours, (theirs, usual) in KEYS.items()}
    usual = {**config, **same, "type_vocab_size": 0, "layer_norm_eps": 1e-12}
    numbers = bert.spec("distilbert", usual)
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=relu))
    return Plan(
        spec=numbers,
        sides=(bert.encoder(usual, numbers),),
        output=head or bert.pieces(usual, numbers, stored, "vocab_"),
        names=NAMES,
        prefixes=("distilbert.",),
        tied=bert.tied(config),
        ignored=bert.BUFFERS,
    )


DISTILBERT = Family(model_type="distilbert", plan=plan)
