"""GPT-Neo (Black et al. 2021): GPT-2's wiring, scores that are not scaled, and windows in every other layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.blocks import Embeddings, FeedForward, PreNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal, Rule, Window
from core.mixers import SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, settled
from core.models.plan import Config, Family, Plan, Spec

_LAYER = "h.{n}"

NAMES = {
    "wte": "decoder.embed.words",
    "wpe": "decoder.embed.positions",
    f"{_LAYER}.ln_1": f"{LAYER}.mixer_norm",
    f"{_LAYER}.attn.attention.q_proj": f"{LAYER}.mixer.queries",
    f"{_LAYER}.attn.attention.k_proj": f"{LAYER}.mixer.keys",
    f"{_LAYER}.attn.attention.v_proj": f"{LAYER}.mixer.values",
    f"{_LAYER}.attn.attention.out_proj": f"{LAYER}.mixer.output",
    f"{_LAYER}.ln_2": f"{LAYER}.feed_norm",
    f"{_LAYER}.mlp.c_fc": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.c_proj": f"{LAYER}.feed_forward.down",
    "ln_f": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "activation_function": "gelu_new",
    "attention_types": [[["global", "local"], 12]],
    "intermediate_size": None,
    "layer_norm_epsilon": 1e-5,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": True,
    "window_size": 256,
}
ALIASES = {"num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published GPT-Neo config.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, DEFAULTS, ALIASES)
    spec = _spec(config)
    return decoder(
        spec,
        [_layer(config, spec, rule) for rule in _rules(config, spec.layers)],
        embed=Embeddings(spec.pieces, spec.width, positions=spec.positions),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "transformer."),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        prefixes=("transformer.",),
        ignored={f"{_LAYER}.attn.attention.bias": "buffer", f"{_LAYER}.attn.attention.masked_bias": "buffer"},
    )


def _spec(config: Config) -> Spec:
    width = config["hidden_size"]
    heads = even_heads(width, config["num_heads"], biases=frozenset({"output"}))
    return Spec(
        family="gpt_neo",
        kind="decoder",
        layers=config["num_layers"],
        heads=replace(heads, scale=1.0),
        width=width,
        inner=config["intermediate_size"] or 4 * width,
        pieces=config["vocab_size"],
        positions=config["max_position_embeddings"],
    )


def _rules(config: Config, layers: int) -> Sequence[Rule]:
    kinds = [kind for pattern, times in config["attention_types"] for _ in range(times) for kind in pattern]
    rules = {"global": Causal(), "local": Window(size=config["window_size"]) & Causal()}
    if len(kinds) != layers:
        raise CoreError("config_value", name="attention_types", came=len(kinds), allowed=f"num_layers ({layers})")
    strange = sorted(set(kinds) - rules.keys())
    if strange:
        raise CoreError("config_value", name="attention_types", came=", ".join(strange), allowed=", ".join(rules))
    return [rules[kind] for kind in kinds]


def _layer(config: Config, spec: Spec, rule: Rule) -> PreNorm:
    return PreNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=rule),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["activation_function"])),
        feed_norm=normed(config, spec.width),
    )


GPT_NEO = Family(model_type="gpt_neo", plan=plan)
