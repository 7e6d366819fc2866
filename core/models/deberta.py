"""DeBERTa, versions 2 and 3 (He et al. 2021, 2023): post-norm layers whose scores match contents with distances."""

from __future__ import annotations

from torch import nn

from core.blocks import Bend, ClassHead, Embeddings, FeedForward, MaskedLanguageHead, Projected
from core.blocks.convolution import Convolved, Neighbours
from core.blocks.feed_forward import activation
from core.blocks.layers import PostNorm
from core.errors import CoreError
from core.masks import Everyone
from core.mixers import ALL, Heads, SelfAttention
from core.mixers.disentangled import DisentangledAttention
from core.models import bert
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.tasks import class_head
from core.positions.disentangled import DistanceRows, Distances

LEGACY, LATER = "cls.predictions", "lm_predictions.lm_head"
KINDS = frozenset({"c2p", "p2c"})
PARTS = {
    **bert.PARTS,
    "attention.self.query_proj": "mixer.queries",
    "attention.self.key_proj": "mixer.keys",
    "attention.self.value_proj": "mixer.values",
    "attention.self.pos_key_proj": "mixer.row_keys",
    "attention.self.pos_query_proj": "mixer.row_queries",
}
NAMES = {
    **{theirs: ours.replace("embed.", "embed.narrow.") for theirs, ours in bert.EMBEDDINGS.items()},
    "embeddings.embed_proj": "encoder.embed.widen",
    "embeddings.LayerNorm": "encoder.embed.norm",
    **bert.layers(PARTS),
    "encoder.rel_embeddings": "encoder.layers.0.mixer.table.rows",
    "encoder.LayerNorm": "encoder.layers.0.mixer.table.norm",
    "encoder.conv.conv": "encoder.layers.0.neighbours.kernel",
    "encoder.conv.LayerNorm": "encoder.layers.0.neighbours_norm",
    **bert.CLASSES,
}
USUAL = {
    "vocab_size": 128100,
    "hidden_size": 1536,
    "num_hidden_layers": 24,
    "num_attention_heads": 24,
    "intermediate_size": 6144,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
    "relative_attention": False,
    "max_relative_positions": -1,
    "position_buckets": -1,
    "position_biased_input": True,
    "share_att_key": False,
    "norm_rel_ebd": "none",
    "pos_att_type": None,
    "conv_kernel_size": 0,
    "conv_groups": 1,
    "conv_act": "tanh",
    "pooler_hidden_act": "gelu",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published DeBERTa-v2 config (version 3 names itself so too).

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a switch that is not supported.
    """
    config = {**USUAL, **config}
    kinds = _kinds(config)
    numbers = _spec(config, kinds)
    act = activation(config["pooler_hidden_act"])
    head = class_head(config, stored, numbers.width, before=lambda: Bend(numbers.width, act=act))
    stem, output = (LEGACY, head) if head else _pieces(config, numbers, stored)
    return Plan(
        spec=numbers,
        sides=(_encoder(config, numbers, kinds),),
        output=output,
        names={**NAMES, **_head_names(stem)},
        prefixes=("deberta.",),
        tied=bert.tied(config if stem == LEGACY else {}, words="encoder.embed.narrow.words.weight"),
        ignored=_ignored(config, kinds, stem, output),
    )


def _kinds(config: Config) -> frozenset[str]:
    """Return which matches with distances count; older configs write them with a bar between."""
    named = config["pos_att_type"] or []
    kinds = {kind.strip() for kind in named.lower().split("|")} if isinstance(named, str) else set(named)
    if not kinds - {""} <= KINDS:
        raise CoreError("config_value", name="pos_att_type", came=named, allowed=", ".join(sorted(KINDS)))
    return frozenset(kinds - {""})


def _spec(config: Config, kinds: frozenset[str]) -> Spec:
    """Return the numbers; each kind of match adds to what the scale divides by (section 3.1, below equation 4)."""
    width, count = config["hidden_size"], config["num_attention_heads"]
    if width % count:
        raise CoreError("config_value", name="num_attention_heads", came=count, allowed=f"hidden_size / {count}")
    head_width = config.get("attention_head_size", width // count)
    scale = (head_width * (1 + len(kinds))) ** -0.5
    return Spec(
        family="deberta-v2",
        kind="encoder",
        layers=config["num_hidden_layers"],
        heads=Heads(count=count, groups=count, head_width=head_width, scale=scale, biases=ALL),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"] if config["position_biased_input"] else 0,
        types=config["type_vocab_size"],
    )


def _narrow(config: Config) -> int:
    return int(config.get("embedding_size") or config["hidden_size"])


def _encoder(config: Config, numbers: Spec, kinds: frozenset[str]) -> Side:
    narrow, width = _narrow(config), numbers.width
    embed = Projected(
        Embeddings(numbers.pieces, narrow, positions=numbers.positions, types=numbers.types),
        nn.Linear(narrow, width, bias=False) if narrow != width else nn.Identity(),
        norm=bert.norm(config, width),
    )
    table = _table(config, width) if _relative(config, kinds) else None
    layers = [
        _layer(config, numbers, _mixer(config, numbers, kinds, table), number) for number in range(numbers.layers)
    ]
    return Side("encoder", embed=embed, layers=layers)


def _relative(config: Config, kinds: frozenset[str]) -> bool:
    return bool(config["relative_attention"] and kinds)


def _normed(config: Config) -> bool:
    return "layer_norm" in [part.strip() for part in config["norm_rel_ebd"].lower().split("|")]


def _table(config: Config, width: int) -> DistanceRows:
    farthest = config["max_relative_positions"]
    if farthest < 1:
        farthest = config["max_position_embeddings"]
    buckets = config["position_buckets"]
    distances = Distances(span=buckets, farthest=farthest) if buckets > 0 else Distances(span=farthest)
    return DistanceRows(width, distances, norm=bert.norm(config, width) if _normed(config) else None)


def _mixer(config: Config, numbers: Spec, kinds: frozenset[str], table: DistanceRows | None) -> SelfAttention:
    if table is None:
        return SelfAttention(numbers.width, numbers.heads, rule=Everyone())
    own = not config["share_att_key"]
    return DisentangledAttention(numbers.width, numbers.heads, rule=Everyone(), table=table, kinds=kinds, own=own)


def _layer(config: Config, numbers: Spec, mixer: nn.Module, number: int) -> PostNorm:
    size = config["conv_kernel_size"]
    if number or size < 1:
        return bert.layer(config, numbers, mixer)
    if size % 2 == 0:
        raise CoreError("config_value", name="conv_kernel_size", came=size, allowed="1, 3, 5 …")
    act = activation(config["conv_act"])
    return Convolved(
        Neighbours(numbers.width, size, act=act, groups=config["conv_groups"]),
        bert.norm(config, numbers.width),
        mixer=mixer,
        mixer_norm=bert.norm(config, numbers.width),
        feed_forward=FeedForward(numbers.width, numbers.inner, act=activation(config["hidden_act"])),
        feed_norm=bert.norm(config, numbers.width),
    )


def _pieces(config: Config, numbers: Spec, stored: frozenset[str]) -> tuple[str, MaskedLanguageHead | None]:
    """Return the head for hidden pieces and its published name; of two, the config says which one counts."""
    legacy = bert.pieces(config, numbers, stored, f"{LEGACY}.", inner=_narrow(config))
    later = bert.pieces(config, numbers, stored, f"{LATER}.")
    if legacy and (config.get("legacy", True) or not later):
        return LEGACY, legacy
    return (LATER, later) if later else (LEGACY, None)


def _head_names(stem: str) -> dict[str, str]:
    parts = ("transform.dense", "transform.LayerNorm") if stem == LEGACY else ("dense", "LayerNorm")
    return bert.pieces_head(stem, *parts)


def _ignored(config: Config, kinds: frozenset[str], stem: str, output: nn.Module | None) -> dict[str, str]:
    """Return what may be left out: other heads, and what the config switches off."""
    other = LATER if stem == LEGACY else LEGACY
    ignored = {**bert.BUFFERS, **bert.pooler(output), f"{other}.": "pooler", "mask_predictions.": "pooler"}
    if isinstance(output, ClassHead):
        ignored[f"{LEGACY}."] = "pooler"
    if not config["position_biased_input"]:
        ignored["embeddings.position_embeddings."] = "unused"
    if not _relative(config, kinds):
        ignored |= {"encoder.rel_embeddings.": "unused", "encoder.LayerNorm.": "unused"}
    return ignored


DEBERTA = Family(model_type="deberta-v2", plan=plan)
