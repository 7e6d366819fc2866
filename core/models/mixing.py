"""Small models of this project's own, every layer with a mixer of one's choice: what attention replaced, and what
wants to replace it, set beside each other at the same size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.functional import relu

from core.blocks import Embeddings, FeedForward, LanguageHead, LayerNorm, PreNorm
from core.errors import CoreError
from core.mixers import NO_HEADS, Mixer, SelfAttention, mixer
from core.models.decoder import settled
from core.models.fresh import fresh
from core.models.model import Network
from core.models.plan import Config, Family, Plan, Side, Spec

USUAL: dict[str, Any] = {"width": 64, "inner": (128,), "mixers": (), "eos_token_id": None}
EPSILON = 1e-5
DEEPEST = 64


def plan(config: Config, stored: frozenset[str]) -> Plan:  # noqa: ARG001  a file cannot say more than its config
    """Translate a config: `mixers` names one for each layer, `inner` the feed-forward width of each. Tensors have our
    own names.

    Raises:
        CoreError: `config_value`.
    """
    config = settled(config, USUAL)
    mixers = [mixer(name, config["width"]) for name in named(config)]
    looking = [one.heads for one in mixers if isinstance(one, SelfAttention)]
    side = "decoder" if all(one.causal for one in mixers) else "encoder"
    spec = Spec(
        family="mixing",
        kind=side,
        layers=len(mixers),
        heads=looking[0] if looking else NO_HEADS,
        width=config["width"],
        inner=max(config["inner"]),
        pieces=config["pieces"],
        positions=0,
        ends=frozenset() if config["eos_token_id"] is None else frozenset({config["eos_token_id"]}),
    )
    layers = [_layer(one, inner) for one, inner in zip(mixers, config["inner"], strict=True)]
    embed, final = Embeddings(spec.pieces, spec.width), LayerNorm(spec.width, epsilon=EPSILON)
    return Plan(
        spec=spec,
        sides=(Side(side, embed=embed, layers=layers, final=final),),
        output=LanguageHead(spec.width, spec.pieces),
        names={name: name for name in (f"{side}.embed.words", f"{side}.final", *_parts(side, layers))},
        tied={"output.pieces.weight": f"{side}.embed.words.weight"},
    )


def untrained(config: Config, *, seed: int) -> tuple[Plan, Network]:
    """Return a model before any training: numbers as usual, and what each mixer itself begins with.

    Raises:
        CoreError: `config_value`.
    """
    plan, network = fresh(MIXING, config, seed=seed)
    source = torch.Generator().manual_seed(seed)
    for part in network.modules():
        if isinstance(part, Mixer):
            part.begin(source)
    return plan, network


def named(config: Config) -> list[str]:
    """Return the names of the layers' mixers.

    Raises:
        CoreError: `config_value` where there are none, too many, or not as many as feed-forward widths.
    """
    names = [str(name) for name in config["mixers"]]
    if not 0 < len(names) <= DEEPEST:
        raise CoreError("config_value", name="mixers", came=len(names), allowed=f"1 … {DEEPEST}")
    if len(config["inner"]) != len(names):
        raise CoreError("config_value", name="inner", came=len(config["inner"]), allowed=len(names))
    return names


def _parts(side: str, layers: Sequence[nn.Module]) -> list[str]:
    return [f"{side}.layers.{n}.{path}" for n, layer in enumerate(layers) for path, _ in layer.named_modules()]


def _layer(one: Mixer, inner: int) -> PreNorm:
    return PreNorm(
        mixer=one,
        mixer_norm=LayerNorm(one.width, epsilon=EPSILON),
        feed_forward=FeedForward(one.width, inner, act=relu),
        feed_norm=LayerNorm(one.width, epsilon=EPSILON),
    )


MIXING = Family(model_type="mixing", plan=plan)
