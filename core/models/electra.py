"""ELECTRA (Clark et al. 2020): BERT with narrow embeddings, trained to tell which pieces were replaced."""

from __future__ import annotations

from torch import nn
from torch.nn.functional import gelu

from core.blocks import Bend, ClassHead, Embeddings, MaskedLanguageHead, Projected
from core.blocks.feed_forward import activation
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head

NAMES = {
    **{theirs: ours.replace("embed.", "embed.narrow.") for theirs, ours in bert.EMBEDDINGS.items()},
    "embeddings_project": "encoder.embed.widen",
    **bert.layers(bert.PARTS),
    "generator_predictions.dense": "output.dense",
    "generator_predictions.LayerNorm": "output.norm",
    "generator_lm_head": "output.pieces",
    "discriminator_predictions.dense": "output.before.dense",
    "discriminator_predictions.dense_prediction": "output.classes",
    "classifier.dense": "output.before.dense",
    "classifier.out_proj": "output.classes",
    "classifier": "output.classes",
    "qa_outputs": "output.classes",
}
USUAL = {
    **bert.USUAL,
    "embedding_size": 128,
    "hidden_size": 256,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published ELECTRA config: a discriminator, a generator, or a classifier.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch that is not supported.
    """
    bert.refuse(config)
    config = {**USUAL, **config}
    numbers = bert.spec("electra", config)
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=gelu))
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers),),
        output=head or _generator(config, numbers, stored) or _discriminator(config, numbers, stored),
        names=NAMES,
        prefixes=("electra.",),
        tied=bert.tied(config, words="encoder.embed.narrow.words.weight"),
        ignored=bert.BUFFERS,
    )


def _encoder(config: Config, numbers: Spec) -> Side:
    narrow, width = config["embedding_size"], numbers.width
    embed = Embeddings(
        numbers.pieces, narrow, positions=numbers.positions, types=numbers.types, norm=bert.norm(config, narrow)
    )
    widen = nn.Linear(narrow, width) if narrow != width else nn.Identity()
    layers = [bert.layer(config, numbers) for _ in range(numbers.layers)]
    return Side("encoder", embed=Projected(embed, widen), layers=layers)


def _generator(config: Config, numbers: Spec, stored: frozenset[str]) -> MaskedLanguageHead | None:
    return bert.pieces(config, numbers, stored, "generator_", act="gelu", inner=config["embedding_size"])


def _discriminator(config: Config, numbers: Spec, stored: frozenset[str]) -> ClassHead | None:
    """Return the head with one logit a piece: was it replaced? (section 2)."""
    if not any(name.startswith("discriminator_predictions.") for name in stored):
        return None
    before = Bend(numbers.width, act=activation(config["hidden_act"]))
    return ClassHead(numbers.width, 1, before=before)


ELECTRA = Family(model_type="electra", plan=plan)
