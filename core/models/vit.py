"""ViT (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021): pre-norm encoders over the patches of a picture."""

from __future__ import annotations

from typing import Any

from torch import nn

from core.blocks import ClassHead, FeedForward, LayerNorm, Patches, PreNorm, TaughtHead
from core.blocks.feed_forward import activation
from core.blocks.heads import first
from core.errors import CoreError
from core.masks import Everyone, Rule
from core.mixers import ALL, Heads, SelfAttention
from core.models.decoder import even_heads, settled
from core.models.plan import Config, Family, Plan, Side, Spec
from core.models.splits import squeezed
from core.models.tasks import classes

USUAL = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "image_size": 224,
    "patch_size": 16,
    "num_channels": 3,
    "qkv_bias": True,
}
EMBED = "encoder.embed"
PARTS = {
    "attention.attention.query": "mixer.queries",
    "attention.attention.key": "mixer.keys",
    "attention.attention.value": "mixer.values",
    "attention.output.dense": "mixer.output",
    "layernorm_before": "mixer_norm",
    "layernorm_after": "feed_norm",
    "intermediate.dense": "feed_forward.up",
    "output.dense": "feed_forward.down",
}
NAMES = {
    "embeddings.patch_embeddings.projection": f"{EMBED}.cut",
    **{f"encoder.layer.{{n}}.{theirs}": f"encoder.layers.{{n}}.{ours}" for theirs, ours in PARTS.items()},
    "layernorm": "encoder.final",
    "classifier": "output.classes",
    "cls_classifier": "output.classes",
    "distillation_classifier": "output.taught",
}
SPLITS = {
    "embeddings.cls_token": squeezed(f"{EMBED}.first"),
    "embeddings.distillation_token": squeezed(f"{EMBED}.taught"),
    "embeddings.position_embeddings": squeezed(f"{EMBED}.positions.weight"),
}
IGNORED = {"embeddings.mask_token": "idle", "pooler.": "pooler"}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published ViT config.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, USUAL)
    return _plan(config, stored, seen(config, "vit"), "ViT")


def plan_deit(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published DeiT config, with one head of classes or with two that are averaged."""
    config = settled(config, USUAL)
    return _plan(config, stored, seen(config, "deit", own=2), "DeiT")


def _plan(config: Config, stored: frozenset[str], spec: Spec, preparation: str) -> Plan:
    taught = spec.places - spec.grid[0] * spec.grid[1] == 2
    side = Side(
        "encoder",
        embed=Patches(cut(config), positions=spec.places, taught=taught),
        layers=[layer(config, spec, Everyone()) for _ in range(spec.layers)],
        final=norm(config),
    )
    return Plan(
        spec=spec,
        sides=(side,),
        output=_head(config, stored),
        names=NAMES,
        splits=SPLITS,
        prefixes=("vit.", "deit."),
        ignored=IGNORED,
        preparation=preparation,
    )


def _head(config: Config, stored: frozenset[str]) -> ClassHead | None:
    if any(name.startswith("distillation_classifier.") for name in stored):
        return TaughtHead(config["hidden_size"], classes(config))
    if any(name.startswith("classifier.") for name in stored):
        return ClassHead(config["hidden_size"], classes(config), pick=first)
    return None


def seen(config: Config, family: str, *, own: int = 1) -> Spec:
    """Return the numbers of an encoder of pictures; `own` is how many positions come before its patches.

    Raises:
        CoreError: `config_value` for a picture that is smaller than a patch, or heads that do not divide the width.
    """
    (rows, columns), patch = both(config["image_size"]), both(config["patch_size"])
    grid = rows // patch[0], columns // patch[1]
    if not all(grid):
        raise CoreError("config_value", name="patch_size", came=patch, allowed=f"1 … {min(rows, columns)}")
    places = own + grid[0] * grid[1]
    biases = ALL if config["qkv_bias"] else frozenset({"output"})
    heads = even_heads(config["hidden_size"], config["num_attention_heads"], biases=biases)
    signal = (config["num_channels"], rows, columns)
    return encoder_spec(config, family, heads, pieces=0, positions=places, signal=signal, places=places, grid=grid)


def encoder_spec(config: Config, family: str, heads: Heads, **numbers: Any) -> Spec:
    """Return the numbers of an encoder whose config has ViT's keys."""
    return Spec(
        family=family,
        kind="encoder",
        layers=config["num_hidden_layers"],
        heads=heads,
        width=config["hidden_size"],
        inner=config["intermediate_size"],
        **numbers,
    )


def both(size: Any) -> tuple[int, int]:
    """Return rows and columns of a size that is one number where they are the same."""
    return (size, size) if isinstance(size, int) else (int(size[0]), int(size[1]))


def cut(config: Config, *, bias: bool = True) -> nn.Conv2d:
    """Return the product that makes a position of each patch."""
    patch = both(config["patch_size"])
    return nn.Conv2d(config["num_channels"], config["hidden_size"], patch, stride=patch, bias=bias)


def layer(config: Config, spec: Spec, rule: Rule) -> PreNorm:
    """Return one layer with its norms before the parts."""
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=rule),
        mixer_norm=norm(config),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["hidden_act"])),
        feed_norm=norm(config),
    )


def norm(config: Config) -> LayerNorm:
    """Return a norm over the width."""
    return LayerNorm(config["hidden_size"], epsilon=config["layer_norm_eps"])


VIT = Family(model_type="vit", plan=plan)
DEIT = Family(model_type="deit", plan=plan_deit)
