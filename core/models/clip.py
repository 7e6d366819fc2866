"""CLIP (Radford et al. 2021): an encoder of texts that looks back only, an encoder of pictures, and a space that both
are projected into; also published alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torch import nn

from core.blocks import Embeddings, EndedSpace, Patches, SharedSpace
from core.errors import CoreError
from core.masks import Causal, Everyone
from core.models.decoder import even_heads, settled
from core.models.plan import Config, Family, Plan, Side
from core.models.vit import cut, encoder_spec, layer, norm, seen

USUAL = {
    "num_hidden_layers": 12,
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
    "projection_dim": 512,
    "qkv_bias": True,
}
USUAL_TEXT = {
    **USUAL,
    "vocab_size": 49408,
    "hidden_size": 512,
    "intermediate_size": 2048,
    "num_attention_heads": 8,
    "max_position_embeddings": 77,
    "eos_token_id": 49407,
}
USUAL_PICTURES = {
    **USUAL,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 32,
}
ENDED_BEFORE = 2
PARTS = {
    "self_attn.q_proj": "mixer.queries",
    "self_attn.k_proj": "mixer.keys",
    "self_attn.v_proj": "mixer.values",
    "self_attn.out_proj": "mixer.output",
    "layer_norm1": "mixer_norm",
    "layer_norm2": "feed_norm",
    "mlp.fc1": "feed_forward.up",
    "mlp.fc2": "feed_forward.down",
}
LAYERS = {f"encoder.layers.{{n}}.{theirs}": f"encoder.layers.{{n}}.{ours}" for theirs, ours in PARTS.items()}
TEXT = {
    "embeddings.token_embedding": "encoder.embed.words",
    "embeddings.position_embedding": "encoder.embed.positions",
    **LAYERS,
    "final_layer_norm": "encoder.final",
}
PICTURES = {
    "embeddings.class_embedding": "encoder.embed.first",
    "embeddings.patch_embedding": "encoder.embed.cut",
    "embeddings.position_embedding": "encoder.embed.positions",
    "pre_layrnorm": "encoder.embed.norm",
    **LAYERS,
    "post_layernorm": "encoder.final",
}
BUFFERS = {
    "text_model.embeddings.position_ids": "buffer",
    "vision_model.embeddings.position_ids": "buffer",
    "embeddings.position_ids": "buffer",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published CLIP config with both encoders in it.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    shared = {"projection_dim": config.get("projection_dim", USUAL["projection_dim"])}
    text = _text({**_part(config, "text"), **shared}, stored)
    pictures = _pictures({**_part(config, "vision"), **shared}, stored)
    names = {
        **_named(TEXT, "text_model."),
        **_named(PICTURES, "vision_model.", "pictures."),
        "text_projection": "output.project",
        "visual_projection": "pictures.output.project",
        "logit_scale": "output.logit_scale",
    }
    return replace(text, names=names, pictures=replace(pictures, names={}))


def plan_text(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published config of the encoder of texts alone, with its projection or without."""
    return _text(config, stored)


def plan_pictures(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published config of the encoder of pictures alone, with its projection or without."""
    return _pictures(config, stored)


def _part(config: Config, which: str) -> Config:
    """Return the config of one encoder; the first folders have what counts under another name."""
    return {**(config.get(f"{which}_config") or {}), **(config.get(f"{which}_config_dict") or {})}


def _named(names: Mapping[str, str], before: str, ours: str = "") -> dict[str, str]:
    return {f"{before}{theirs}": f"{ours}{name}" for theirs, name in names.items()}


def _text(config: Config, stored: frozenset[str]) -> Plan:
    config = settled(config, USUAL_TEXT)
    heads = even_heads(config["hidden_size"], config["num_attention_heads"])
    spec = encoder_spec(config, "clip", heads, pieces=config["vocab_size"], positions=config["max_position_embeddings"])
    side = Side(
        "encoder",
        embed=Embeddings(spec.pieces, spec.width, positions=spec.positions),
        layers=[layer(config, spec, Causal()) for _ in range(spec.layers)],
        final=norm(config),
    )
    output: nn.Module | None = None
    if any(name.startswith("text_projection.") for name in stored):
        scaled = "logit_scale" in stored
        output = EndedSpace(spec.width, config["projection_dim"], end=_end(config), scaled=scaled)
    names = {**TEXT, **_named(TEXT, "text_model."), "text_projection": "output.project"}
    return Plan(spec=spec, sides=(side,), output=output, names=names, ignored=BUFFERS)


def _end(config: Config) -> int | None:
    """Return the piece that ends a text; the first folders name a wrong one, and mean the highest."""
    end = config["eos_token_id"]
    if not isinstance(end, int):
        raise CoreError("config_value", name="eos_token_id", came=end, allowed="0 …")
    return None if end == ENDED_BEFORE else end


def _pictures(config: Config, stored: frozenset[str]) -> Plan:
    config = settled(config, USUAL_PICTURES)
    spec = seen(config, "clip")
    side = Side(
        "encoder",
        embed=Patches(cut(config, bias=False), positions=spec.places, norm=norm(config)),
        layers=[layer(config, spec, Everyone()) for _ in range(spec.layers)],
        final=norm(config),
    )
    projected = any(name.startswith("visual_projection.") for name in stored)
    return Plan(
        spec=spec,
        sides=(side,),
        output=SharedSpace(spec.width, config["projection_dim"]) if projected else None,
        names={**PICTURES, **_named(PICTURES, "vision_model."), "visual_projection": "output.project"},
        ignored=BUFFERS,
        preparation="CLIP",
    )


CLIP = Family(model_type="clip", plan=plan)
CLIP_TEXT = Family(model_type="clip_text_model", plan=plan_text)
CLIP_PICTURES = Family(model_type="clip_vision_model", plan=plan_pictures)
