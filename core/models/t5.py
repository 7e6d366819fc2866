"""T5, T5 v1.1 and mT5 (Raffel et al. 2020): pre-norm sides without biases, relative buckets at the scores and no scale
on them."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from core.blocks import Embeddings, FeedForward, GatedFeedForward, LanguageHead, PreNorm, RMSNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal, Everyone
from core.mixers import CrossAttention, Heads, SelfAttention
from core.models.answers import answer
from core.models.decoder import settled
from core.models.plan import Config, Family, Plan, Side, Spec
from core.positions.buckets import Buckets, Ranges

MIXER = {"q": "queries", "k": "keys", "v": "values", "o": "output"}
FEED = {"wi": "up", "wi_0": "gate", "wi_1": "up", "wo": "down"}
USUAL = {
    "vocab_size": 32128,
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_decoder_layers": None,
    "num_heads": 8,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "layer_norm_epsilon": 1e-6,
    "feed_forward_proj": "relu",
    "pad_token_id": 0,
    "eos_token_id": 1,
    "tie_word_embeddings": True,
}
USUAL_MT5 = {
    **USUAL,
    "vocab_size": 250112,
    "d_ff": 1024,
    "num_layers": 8,
    "num_heads": 6,
    "feed_forward_proj": "gated-gelu",
    "scale_decoder_outputs": False,
}
WORDS = "encoder.embed.words"
COPIES = ("encoder.embed_tokens", "decoder.embed_tokens")


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published T5 config; a file that has only the encoder gives a model that only reads.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    return _plan(settled(config, USUAL), stored)


def plan_mt5(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published mT5 config; its head never scales, and its own rows, where the file has them, are kept."""
    tied = "lm_head.weight" not in stored and config.get("tie_word_embeddings", True)
    return _plan({**settled(config, USUAL_MT5), "tie_word_embeddings": tied, "scale_decoder_outputs": False}, stored)


def _plan(config: Config, stored: frozenset[str]) -> Plan:
    both = any(name.startswith("decoder.") for name in stored)
    spec = _spec(config, both)
    embed = Embeddings(spec.pieces, spec.width)
    sides = (_side("encoder", config, spec, embed), _side("decoder", config, spec, embed))
    return Plan(
        spec=spec,
        sides=sides if both else sides[:1],
        output=_head(config, spec) if both else None,
        names=_names(spec),
        tied={"output.pieces.weight": f"{WORDS}.weight"} if config["tie_word_embeddings"] else {},
        ignored=_ignored(stored),
    )


def _spec(config: Config, both: bool) -> Spec:
    first = config.get("decoder_start_token_id")
    began = {**config, "decoder_start_token_id": config["pad_token_id"] if first is None else first}
    layers = config["num_layers"]
    other = config["num_decoder_layers"]
    return Spec(
        family=config["model_type"],
        kind="encoder-decoder" if both else "encoder",
        layers=layers,
        decoder_layers=(layers if other is None else other) if both else 0,
        heads=Heads(count=config["num_heads"], groups=config["num_heads"], head_width=config["d_kv"], scale=1.0),
        width=config["d_model"],
        inner=config["d_ff"],
        pieces=config["vocab_size"],
        positions=0,
        **(answer(began) if both else {}),
    )


def _head(config: Config, spec: Spec) -> LanguageHead | None:
    """Return the output head; only the first T5, whose rows are those of the pieces, scales what goes into it."""
    if config.get("architectures") and not any("Generation" in name for name in config["architectures"]):
        return None
    scaled = config.get("scale_decoder_outputs", config["tie_word_embeddings"] is not False)
    return LanguageHead(spec.width, spec.pieces, scale=spec.width**-0.5 if scaled else 1.0)


def _side(name: str, config: Config, spec: Spec, embed: Embeddings) -> Side:
    reads = name == "encoder"
    count, farthest = config["relative_attention_num_buckets"], config["relative_attention_max_distance"]
    ranges = Ranges(count=count, farthest=farthest, both=reads)
    relative = Buckets(spec.heads.count, rows=count, ranges=ranges)
    layers = [_layer(config, spec, relative, reads) for _ in range(spec.layers if reads else spec.decoder_layers)]
    return Side(name, embed=embed, layers=layers, final=_norm(config))


def _layer(config: Config, spec: Spec, relative: Buckets, reads: bool) -> PreNorm:
    rule = Everyone() if reads else Causal()
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=rule, relative=relative),
        mixer_norm=_norm(config),
        cross=None if reads else CrossAttention(spec.width, spec.heads, rule=Everyone()),
        cross_norm=None if reads else _norm(config),
        feed_forward=_feed_forward(config, spec),
        feed_norm=_norm(config),
    )


def _norm(config: Config) -> RMSNorm:
    return RMSNorm(config["d_model"], epsilon=config["layer_norm_epsilon"])


def _feed_forward(config: Config, spec: Spec) -> nn.Module:
    """Return the part that `feed_forward_proj` names: an activation, or "gated-" and one; "gelu" is the tanh form there
    when it is gated."""
    kind, _, name = config["feed_forward_proj"].rpartition("-")
    if kind not in ("", "gated"):
        allowed = "relu, gated-gelu, …"
        raise CoreError("config_value", name="feed_forward_proj", came=config["feed_forward_proj"], allowed=allowed)
    act = activation("gelu_new" if (kind, name) == ("gated", "gelu") else name)
    part = GatedFeedForward if kind else FeedForward
    return part(spec.width, spec.inner, act=act, bias=False)


def _names(spec: Spec) -> Mapping[str, str]:
    names = {"shared": WORDS, **dict.fromkeys(COPIES, WORDS), "lm_head": "output.pieces"}
    for side, count in (("encoder", spec.layers), ("decoder", spec.decoder_layers)):
        names[f"{side}.final_layer_norm"] = f"{side}.final"
        names[f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias"] = f"{side}.layers.0.mixer.relative.table"
        for layer in range(count):
            names |= _layer_names(side, layer)
    return names


def _layer_names(side: str, layer: int) -> dict[str, str]:
    theirs, ours, last = f"{side}.block.{layer}.layer", f"{side}.layers.{layer}", 1 if side == "encoder" else 2
    mixers = {"0.SelfAttention": "mixer"} | ({} if last == 1 else {"1.EncDecAttention": "cross"})
    norms = {"0": "mixer_norm", str(last): "feed_norm"} | ({} if last == 1 else {"1": "cross_norm"})
    return (
        {f"{theirs}.{place}.layer_norm": f"{ours}.{norm}" for place, norm in norms.items()}
        | {f"{theirs}.{a}.{one}": f"{ours}.{b}.{other}" for a, b in mixers.items() for one, other in MIXER.items()}
        | {f"{theirs}.{last}.DenseReluDense.{one}": f"{ours}.feed_forward.{other}" for one, other in FEED.items()}
    )


def _ignored(stored: frozenset[str]) -> dict[str, str]:
    """Return what may be left out: copies of the pieces' rows, and a table of distances that reading never used."""
    copies = {f"{name}.": "copy" for name in COPIES} if "shared.weight" in stored else {}
    return {"decoder.block.{n}.layer.{n}.EncDecAttention.relative_attention_bias.": "idle", **copies}


T5 = Family(model_type="t5", plan=plan)
MT5 = Family(model_type="mt5", plan=plan_mt5)
