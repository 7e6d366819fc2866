"""The Transformer as it was first written down (Vaswani et al. 2017): post-norm, sines and cosines for positions, ReLU,
pieces times the root of the width, and no norm after the last layer."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.nn.functional import relu

from core.blocks import ComputedEmbeddings, Embeddings, FeedForward, LanguageHead, LayerNorm, PostNorm
from core.errors import CoreError
from core.masks import Causal, Everyone
from core.mixers import ALL, CrossAttention, Heads, SelfAttention
from core.models.answers import answer
from core.models.decoder import settled
from core.models.plan import Config, Family, Plan, Side, Spec
from core.positions import Sinusoidal

USUAL = {
    "encoder_layers": 6,
    "decoder_layers": 6,
    "d_model": 512,
    "d_ff": 2048,
    "heads": 8,
    "d_k": 64,
    "d_v": 64,
    "positions": "sinusoidal",
    "longest": 0,
    "target_pieces": 0,
    "pad_token_id": 0,
    "decoder_start_token_id": 1,
    "eos_token_id": 2,
}
SCHEMES = ("sinusoidal", "learned")
EPSILON = 1e-5
MIXERS = tuple(f"{mixer}.{part}" for mixer in ("mixer", "cross") for part in ("queries", "keys", "values", "output"))
PARTS = (*MIXERS, "mixer_norm", "cross_norm", "feed_forward.up", "feed_forward.down", "feed_norm")
OWN = (
    *(f"{side}.layers.{{n}}.{part}" for side in ("encoder", "decoder") for part in PARTS),
    *(f"{side}.embed.{table}" for side in ("encoder", "decoder") for table in ("words", "positions")),
)


def plan(config: Config, stored: frozenset[str]) -> Plan:  # noqa: ARG001  a file cannot say more than its config
    """Translate a config; `target_pieces` = 0 says that both sides, and the output, share one vocabulary and its rows.

    Where the decoder has a vocabulary of its own, the output shares that (section 3.4). Tensors have our own names.

    Raises:
        CoreError: `config_value` for positions that are neither sinusoidal nor learned, or learned without a `longest`.
    """
    config = settled(config, USUAL)
    spec = numbers(config)
    reads, writes = embed(config, spec.pieces), embed(config, spec.written_pieces)
    if not spec.target_pieces:
        writes.words = reads.words
    words = "decoder.embed.words" if spec.target_pieces else "encoder.embed.words"
    return Plan(
        spec=spec,
        sides=(side("encoder", config, spec, reads), side("decoder", config, spec, writes)),
        output=LanguageHead(spec.width, spec.written_pieces),
        names={name: name for name in OWN},
        tied={"output.pieces.weight": f"{words}.weight"},
    )


def numbers(config: Config) -> Spec:
    """Return the numbers of a model."""
    head_width, value_width = config["d_k"], config["d_v"]
    return Spec(
        family="vaswani",
        kind="encoder-decoder",
        layers=config["encoder_layers"],
        decoder_layers=config["decoder_layers"],
        heads=Heads(
            count=config["heads"],
            groups=config["heads"],
            head_width=head_width,
            value_width=value_width,
            scale=head_width**-0.5,
            biases=ALL,
        ),
        width=config["d_model"],
        inner=config["d_ff"],
        pieces=config["source_pieces"],
        target_pieces=config["target_pieces"],
        positions=config["longest"],
        **answer(config),
    )


def embed(config: Config, pieces: int) -> Embeddings:
    """Return the embeddings of one side (sections 3.4 and 3.5; learned positions are row E of table 3).

    Raises:
        CoreError: `config_value`.
    """
    width, scheme, longest = config["d_model"], config["positions"], config["longest"]
    if scheme not in SCHEMES:
        raise CoreError("config_value", name="positions", came=scheme, allowed=", ".join(SCHEMES))
    if scheme == "sinusoidal":
        return ComputedEmbeddings(pieces, width, scheme=Sinusoidal(width=width), scale=width**0.5)
    if not longest:
        raise CoreError("config_value", name="longest", came=longest, allowed="1 …")
    return Embeddings(pieces, width, positions=longest, scale=width**0.5)


def side(name: str, config: Config, spec: Spec, embedded: nn.Module) -> Side:
    """Return one side: a stack of equal layers."""
    return Side(name, embed=embedded, layers=[layer(name, spec) for _ in range(config[f"{name}_layers"])])


def layer(name: str, spec: Spec) -> PostNorm:
    """Return one layer (section 3.1); the decoder's does not look ahead, and reads the encoder's states."""
    reads = name == "encoder"
    parts: dict[str, Any] = {} if reads else {"cross": CrossAttention(spec.width, spec.heads, rule=Everyone())}
    if not reads:
        parts["cross_norm"] = LayerNorm(spec.width, epsilon=EPSILON)
    return PostNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Everyone() if reads else Causal()),
        mixer_norm=LayerNorm(spec.width, epsilon=EPSILON),
        feed_forward=FeedForward(spec.width, spec.inner, act=relu),
        feed_norm=LayerNorm(spec.width, epsilon=EPSILON),
        **parts,
    )


VASWANI = Family(model_type="vaswani", plan=plan)
