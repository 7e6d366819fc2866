"""Llama (Touvron et al. 2023): a pre-norm decoder with RMSNorm, rotary positions, grouped keys and a gated
feed-forward; and the wiring that its relatives share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import nn

from core.blocks import Embeddings, GatedFeedForward, LanguageHead, PreNorm, RMSNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal, Rule, Window
from core.mixers import ALL, NONE, HeadNorms, Heads, SelfAttention
from core.models.decoder import decoder as plan_of
from core.models.decoder import head
from core.models.gguf_keys import gguf_config, half_split
from core.models.plan import Config, Family, Plan, Spec
from core.models.rotary_settings import FULL, SLIDING, reach, rotary
from core.positions import Rotary

LAYER, OURS = "layers.{n}", "decoder.layers.{n}"

AROUND = {"embed_tokens": "decoder.embed.words", "norm": "decoder.final", "lm_head": "output.pieces"}
ATTENTION = {
    f"{LAYER}.self_attn.q_proj": f"{OURS}.mixer.queries",
    f"{LAYER}.self_attn.k_proj": f"{OURS}.mixer.keys",
    f"{LAYER}.self_attn.v_proj": f"{OURS}.mixer.values",
    f"{LAYER}.self_attn.o_proj": f"{OURS}.mixer.output",
}
HEAD_NORMS = {
    f"{LAYER}.self_attn.q_norm": f"{OURS}.mixer.norms.queries",
    f"{LAYER}.self_attn.k_norm": f"{OURS}.mixer.norms.keys",
}
GATED = {
    f"{LAYER}.mlp.gate_proj": f"{OURS}.feed_forward.gate",
    f"{LAYER}.mlp.up_proj": f"{OURS}.feed_forward.up",
    f"{LAYER}.mlp.down_proj": f"{OURS}.feed_forward.down",
}
NORMS = {
    f"{LAYER}.input_layernorm": f"{OURS}.mixer_norm",
    f"{LAYER}.post_attention_layernorm": f"{OURS}.feed_norm",
}
NAMES = {**AROUND, **NORMS, **ATTENTION, **GATED}
BUFFERS = {
    "layers.{n}.self_attn.rotary_emb.inv_freq": "buffer",
    "rotary_emb.inv_freq": "buffer",
    "rope_freqs": "buffer",
}
DEFAULTS = {
    "hidden_act": "silu",
    "max_position_embeddings": 2048,
    "num_key_value_heads": None,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False,
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Llama config, in either of its two spellings.

    Raises:
        CoreError: `unknown_activation`, `rotary_scaling` or `config_value`.
    """
    config = {**DEFAULTS, **config}
    spec = decoder_spec(config, "llama", biases=ALL if config.get("attention_bias") else NONE)
    turned = rotary(config, spec.heads.head_width)
    layers = [pre_norm(config, spec, rule=Causal(), turned=turned) for _ in range(spec.layers)]
    return decoder_plan(config, stored, spec, layers, NAMES)


def decoder_spec(
    config: Config,
    family: str,
    *,
    biases: frozenset[str] = NONE,
    scale: float | None = None,
    cap: float | None = None,
) -> Spec:
    """Return the numbers of a decoder; scores are scaled by the root of the head width unless `scale` is given.

    Raises:
        CoreError: `config_value` when key/value heads do not divide the heads.
    """
    count, width = config["num_attention_heads"], config["hidden_size"]
    groups = config["num_key_value_heads"] or count
    if count % groups:
        raise CoreError("config_value", name="num_key_value_heads", came=groups, allowed=f"{count} / n")
    head_width = config.get("head_dim") or width // count
    return Spec(
        family=family,
        kind="decoder",
        layers=config["num_hidden_layers"],
        heads=Heads(
            count=count,
            groups=groups,
            head_width=head_width,
            scale=head_width**-0.5 if scale is None else scale,
            cap=cap,
            biases=biases,
        ),
        width=width,
        inner=config["intermediate_size"],
        pieces=config["vocab_size"],
        positions=reach(config, rotary(config, head_width, layer=FULL)),
    )


def pre_norm(config: Config, spec: Spec, *, rule: Rule, turned: Rotary, norms: HeadNorms | None = None) -> PreNorm:
    """Return one layer with its norms before the parts."""
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=rule, positions=turned, norms=norms),
        mixer_norm=rms_norm(config, spec.width),
        feed_forward=gated(config, spec),
        feed_norm=rms_norm(config, spec.width),
    )


def rms_norm(config: Config, width: int) -> RMSNorm:
    """Return a norm over `width` numbers."""
    return RMSNorm(width, epsilon=config["rms_norm_eps"])


def gated(config: Config, spec: Spec) -> GatedFeedForward:
    """Return a gated feed-forward part."""
    act = activation(config["hidden_act"])
    return GatedFeedForward(spec.width, spec.inner, act=act, bias=bool(config.get("mlp_bias")))


def decoder_plan(
    config: Config,
    stored: frozenset[str],
    spec: Spec,
    layers: Sequence[nn.Module],
    names: Mapping[str, str],
    **other: nn.Module,
) -> Plan:
    """Return the plan of a decoder: its embeddings, layers, final norm, and the output head that it was saved with.

    `other` replaces `embed`, `final`, or the head of pieces.
    """
    output: nn.Module | None = head(config, spec, stored, "model.")
    if isinstance(output, LanguageHead):
        output = other.get("pieces", output)
    return plan_of(
        spec,
        layers,
        embed=other.get("embed", Embeddings(spec.pieces, spec.width)),
        final=other.get("final", rms_norm(config, spec.width)),
        output=output,
        tied=bool(config["tie_word_embeddings"]),
        names=names,
        prefixes=("model.", "transformer."),
        ignored=BUFFERS,
    )


def window(size: int | None) -> Rule:
    """Return the rule of a layer that sees `size` positions, itself included; all that came before for none and 0."""
    return Window(size=size) & Causal() if size else Causal()


def one_window(config: Config) -> tuple[str, Rule]:
    """Return the type of all layers, and their rule, where one `sliding_window` counts for all.

    Raises:
        CoreError: `config_value` when the layers are listed as if they differed.
    """
    kind = SLIDING if config["sliding_window"] else FULL
    if set(config.get("layer_types") or [kind]) != {kind}:
        came = ", ".join(sorted(set(config["layer_types"])))
        raise CoreError("config_value", name="layer_types", came=came, allowed=kind)
    return kind, window(config["sliding_window"])


def layer_types(config: Config, otherwise: Sequence[str]) -> tuple[str, ...]:
    """Return the type of each layer: as the config lists them, or `otherwise`.

    Raises:
        CoreError: `config_value` for a type that is not known, or a list of another length than there are layers.
    """
    listed = config.get("layer_types") or otherwise
    if len(listed) != config["num_hidden_layers"]:
        raise CoreError(
            "config_value", name="layer_types", came=len(listed), allowed=f"num_hidden_layers ({len(otherwise)})"
        )
    strange = sorted(set(listed) - {FULL, SLIDING})
    if strange:
        raise CoreError("config_value", name="layer_types", came=", ".join(strange), allowed=f"{FULL}, {SLIDING}")
    return tuple(listed)


GGUF_AROUND = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_GGUF, _PUBLISHED = "blk.{n}", "model.layers.{n}"
GGUF_PARTS = {
    f"{_GGUF}.attn_norm": f"{_PUBLISHED}.input_layernorm",
    f"{_GGUF}.attn_q": f"{_PUBLISHED}.self_attn.q_proj",
    f"{_GGUF}.attn_k": f"{_PUBLISHED}.self_attn.k_proj",
    f"{_GGUF}.attn_v": f"{_PUBLISHED}.self_attn.v_proj",
    f"{_GGUF}.attn_output": f"{_PUBLISHED}.self_attn.o_proj",
    f"{_GGUF}.attn_q_norm": f"{_PUBLISHED}.self_attn.q_norm",
    f"{_GGUF}.attn_k_norm": f"{_PUBLISHED}.self_attn.k_norm",
    f"{_GGUF}.ffn_norm": f"{_PUBLISHED}.post_attention_layernorm",
    f"{_GGUF}.ffn_gate": f"{_PUBLISHED}.mlp.gate_proj",
    f"{_GGUF}.ffn_up": f"{_PUBLISHED}.mlp.up_proj",
    f"{_GGUF}.ffn_down": f"{_PUBLISHED}.mlp.down_proj",
}
GGUF_NAMES = {**GGUF_AROUND, **GGUF_PARTS}

LLAMA = Family(
    model_type="llama",
    plan=plan,
    gguf_architecture="llama",
    gguf_config=gguf_config("llama"),
    gguf_names=GGUF_NAMES,
    gguf_changes={
        f"{LAYER}.self_attn.{projection}.{leaf}": half_split(heads)
        for projection, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads"))
        for leaf in ("weight", "bias")
    },
)
