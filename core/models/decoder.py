"""Decoders in parts: what the translations of GPT-2 and its successors have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import nn

from core.blocks import ClassHead, LanguageHead, LayerNorm
from core.errors import CoreError
from core.mixers import ALL, Heads
from core.models.plan import Config, Plan, Side, Spec
from core.models.tasks import SCORES, score_head

LAYER = "decoder.layers.{n}"


def settled(config: Config, defaults: Config, aliases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the config with the family's defaults for what it leaves out, and other spellings under their own name."""
    named = {other: config[one] for one, other in (aliases or {}).items() if config.get(one) is not None}
    return {**defaults, **named, **config}


def refuse(config: Config, switches: Mapping[str, Any]) -> None:
    """Refuse switches that are set to anything but the value that the family is supported with.

    Raises:
        CoreError: `config_value`.
    """
    for name, allowed in switches.items():
        if (config.get(name) or None) != (allowed or None):
            raise CoreError("config_value", name=name, came=config[name], allowed=allowed)


def even_heads(width: int, count: int, *, groups: int | None = None, biases: frozenset[str] = ALL) -> Heads:
    """Return heads that share the width evenly, with scores scaled by the root of the head width.

    Raises:
        CoreError: `config_value` where they do not divide it, or where key/value heads do not divide them.
    """
    groups = groups or count
    if width % count:
        raise CoreError("config_value", name="num_attention_heads", came=count, allowed=f"{width} / n")
    if count % groups:
        raise CoreError("config_value", name="num_key_value_heads", came=groups, allowed=f"{count} / n")
    head_width = width // count
    return Heads(count=count, groups=groups, head_width=head_width, scale=head_width**-0.5, biases=biases)


def normed(config: Config, width: int) -> LayerNorm:
    """Return a norm over `width` numbers, with the config's epsilon under either name."""
    return LayerNorm(width, epsilon=config.get("layer_norm_epsilon") or config["layer_norm_eps"])


def decoder(
    spec: Spec,
    layers: Sequence[nn.Module],
    *,
    embed: nn.Module,
    final: nn.Module | None,
    output: nn.Module | None,
    tied: bool,
    names: Mapping[str, str],
    **tables: Any,
) -> Plan:
    """Return the plan of a decoder whose output rows are those of its pieces where they are `tied`; `tables` are the
    rest of the plan."""
    return Plan(
        spec=spec,
        sides=(Side("decoder", embed=embed, layers=layers, final=final),),
        output=output,
        names={**SCORES, **names},
        tied={"output.pieces.weight": "decoder.embed.words.weight"} if tied else {},
        **tables,
    )


def head(
    config: Config, spec: Spec, stored: frozenset[str], prefix: str, *, width: int = 0, bias: bool = False
) -> LanguageHead | ClassHead | None:
    """Return the output head, of classes or of pieces; None where neither ties nor names of the file speak of one.

    A model that was saved without its head has names without `prefix`; `width` is that of its last rows where it is not
    that of the layers.
    """
    scores = score_head(config, stored, width or spec.width)
    if scores is not None:
        return scores
    saved = any(name.startswith((prefix, "lm_head.", "embed_out.")) for name in stored)
    if not (saved or config["tie_word_embeddings"]):
        return None
    return LanguageHead(width or spec.width, spec.pieces, bias=bias)
