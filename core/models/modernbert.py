"""ModernBERT (Warner et al. 2024): a pre-norm encoder with rotary positions and gated feed-forward parts, in most of
whose layers a piece sees its neighbourhood only."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from core.blocks import (
    Bend,
    ClassHead,
    Embeddings,
    GatedFeedForward,
    LayerNorm,
    MaskedLanguageHead,
    PreNorm,
)
from core.blocks.feed_forward import activation
from core.blocks.heads import Pick, first, mean
from core.errors import CoreError
from core.masks import Everyone, Rule, Window
from core.mixers import ALL, NONE, Heads, SelfAttention
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.rotary_settings import FULL, SLIDING, rotary
from core.models.splits import mixer_parts, stacked
from core.models.tasks import class_head
from core.positions import Rotary

_OURS = "encoder.layers.{n}"
PICKS: dict[str, Pick] = {"cls": first, "mean": mean}
NAMES = {
    "embeddings.tok_embeddings": "encoder.embed.words",
    "embeddings.norm": "encoder.embed.norm",
    "layers.{n}.attn_norm": f"{_OURS}.mixer_norm",
    "layers.{n}.attn.Wo": f"{_OURS}.mixer.output",
    "layers.{n}.mlp_norm": f"{_OURS}.feed_norm",
    "layers.{n}.mlp.Wo": f"{_OURS}.feed_forward.down",
    "final_norm": "encoder.final",
    "decoder": "output.pieces",
    "classifier": "output.classes",
}
USUAL = {
    "vocab_size": 50368,
    "hidden_size": 768,
    "intermediate_size": 1152,
    "num_hidden_layers": 22,
    "num_attention_heads": 12,
    "hidden_activation": "gelu",
    "max_position_embeddings": 8192,
    "norm_eps": 1e-5,
    "norm_bias": False,
    "attention_bias": False,
    "mlp_bias": False,
    "decoder_bias": True,
    "classifier_bias": False,
    "classifier_activation": "gelu",
    "classifier_pooling": "cls",
    "local_attention": 128,
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160_000.0,
    "local_rope_theta": 10_000.0,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published ModernBERT config, in either spelling of its rotary settings and of its kinds of layers.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling`, or `config_value` for settings that are not understood.
    """
    config = {**USUAL, **config}
    numbers = _spec(config)
    output = _output(config, numbers, stored)
    before = "output.before" if isinstance(output, ClassHead) else "output"
    sizes = [numbers.heads.count * numbers.heads.head_width] * 3
    parts = [f"{_OURS}.feed_forward.gate", f"{_OURS}.feed_forward.up"]
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers),),
        output=output,
        names={**NAMES, "head.dense": f"{before}.dense", "head.norm": f"{before}.norm"},
        splits={
            "layers.{n}.attn.Wqkv": stacked(mixer_parts(f"{_OURS}.mixer"), sizes),
            "layers.{n}.mlp.Wi": stacked(parts, [numbers.inner] * 2),
        },
        prefixes=("model.",),
        tied=bert.tied(config),
    )


def _spec(config: Config) -> Spec:
    width, count = config["hidden_size"], config["num_attention_heads"]
    if width % count:
        raise CoreError("config_value", name="num_attention_heads", came=count, allowed=f"hidden_size / {count}")
    head_width, biases = width // count, ALL if config["attention_bias"] else NONE
    return Spec(
        family="modernbert",
        kind="encoder",
        layers=config["num_hidden_layers"],
        heads=Heads(count=count, groups=count, head_width=head_width, scale=head_width**-0.5, biases=biases),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
    )


def _norm(config: Config, numbers: Spec) -> LayerNorm:
    return LayerNorm(numbers.width, epsilon=config["norm_eps"], bias=config["norm_bias"])


def _encoder(config: Config, numbers: Spec) -> Side:
    embed = Embeddings(numbers.pieces, numbers.width, norm=_norm(config, numbers))
    kinds = _kinds(config)
    turned = {kind: _rotary(config, numbers, kind) for kind in kinds}
    layers = [_layer(config, numbers, kind, turned[kind], number) for number, kind in enumerate(kinds)]
    return Side("encoder", embed=embed, layers=layers, final=_norm(config, numbers))


def _kinds(config: Config) -> list[str]:
    """Return which layers see the whole text: as listed, or every n-th from the first on (section 2.1.2).

    Raises:
        CoreError: `config_value` for a list that does not fit.
    """
    depth, every = config["num_hidden_layers"], config["global_attn_every_n_layers"]
    kinds = config.get("layer_types") or [SLIDING if number % every else FULL for number in range(depth)]
    if len(kinds) != depth or not set(kinds) <= {FULL, SLIDING}:
        came = ", ".join(map(str, kinds))
        raise CoreError("config_value", name="layer_types", came=came, allowed=f"{depth} × {FULL}, {SLIDING}")
    return list(kinds)


def _rotary(config: Config, numbers: Spec, kind: str) -> Rotary:
    """Return the rotary positions of one kind of layer; settings that are not sorted by kind are not understood."""
    given = config.get("rope_parameters")
    if given and not any(isinstance(part, Mapping) for part in given.values()):
        raise CoreError("config_value", name="rope_parameters", came=", ".join(given), allowed=f"{FULL}, {SLIDING}")
    base = config["global_rope_theta"]
    if kind == SLIDING and config["local_rope_theta"] is not None:
        base = config["local_rope_theta"]
    return rotary(config, numbers.heads.head_width, layer=kind, base=float(base))


def _layer(config: Config, numbers: Spec, kind: str, turned: Rotary, number: int) -> PreNorm:
    """Return one layer; the first has no norm before its mixer, since the embeddings end with one (section 2.1.1)."""
    act = activation(config["hidden_activation"])
    rule: Rule = Everyone() if kind == FULL else Window(size=config["local_attention"] // 2 + 1)
    return PreNorm(
        mixer=SelfAttention(numbers.width, numbers.heads, rule=rule, positions=turned),
        mixer_norm=_norm(config, numbers) if number else nn.Identity(),
        feed_forward=GatedFeedForward(numbers.width, numbers.inner, act=act, bias=config["mlp_bias"]),
        feed_norm=_norm(config, numbers),
    )


def _output(config: Config, numbers: Spec, stored: frozenset[str]) -> nn.Module | None:
    """Return the head that the file ships: classes, or hidden pieces.

    Raises:
        CoreError: `config_value` for a way of pooling that is not supported.
    """
    act, pooling = activation(config["classifier_activation"]), config["classifier_pooling"]
    if pooling not in PICKS:
        raise CoreError("config_value", name="classifier_pooling", came=pooling, allowed=", ".join(PICKS))

    def before() -> Bend:
        return Bend(numbers.width, act=act, norm=_norm(config, numbers), bias=config["classifier_bias"])

    head = class_head(config, stored, numbers.width, before=before, pick=PICKS[pooling], both=True)
    if head or not any(name.startswith(("head.", "decoder.")) for name in stored):
        return head
    biases = {"dense": config["classifier_bias"], "pieces": config["decoder_bias"]}
    return MaskedLanguageHead(
        numbers.width,
        numbers.pieces,
        act=act,
        norm=_norm(config, numbers),
        biases=frozenset(name for name, wanted in biases.items() if wanted),
    )


MODERNBERT = Family(model_type="modernbert", plan=plan)
