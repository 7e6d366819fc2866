"""GPT-J (Wang and Komatsuzaki 2021): rotary positions on neighbouring pairs of a part of each head, and both parts of a
layer at once behind one norm."""

from __future__ import annotations

from core.blocks import Embeddings, FeedForward, SharedNorm
from core.blocks.feed_forward import activation
from core.errors import CoreError
from core.masks import Causal
from core.mixers import NONE, SelfAttention
from core.models.decoder import LAYER, decoder, even_heads, head, normed, settled
from core.models.plan import Config, Family, Plan, Spec
from core.positions import Neighbours, Rotary

_LAYER = "h.{n}"

NAMES = {
    "wte": "decoder.embed.words",
    f"{_LAYER}.ln_1": f"{LAYER}.mixer_norm",
    f"{_LAYER}.attn.q_proj": f"{LAYER}.mixer.queries",
    f"{_LAYER}.attn.k_proj": f"{LAYER}.mixer.keys",
    f"{_LAYER}.attn.v_proj": f"{LAYER}.mixer.values",
    f"{_LAYER}.attn.out_proj": f"{LAYER}.mixer.output",
    f"{_LAYER}.mlp.fc_in": f"{LAYER}.feed_forward.up",
    f"{_LAYER}.mlp.fc_out": f"{LAYER}.feed_forward.down",
    "ln_f": "decoder.final",
    "lm_head": "output.pieces",
}
DEFAULTS = {
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "n_inner": None,
    "n_positions": 2048,
    "rotary_dim": 64,
    "tie_word_embeddings": False,
}
ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published GPT-J config.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, DEFAULTS, ALIASES)
    spec = _spec(config)
    turned, most = config["rotary_dim"], spec.heads.head_width
    if not turned or turned > most or turned % 2:
        raise CoreError("config_value", name="rotary_dim", came=turned, allowed=f"2, 4 … {most}")
    return decoder(
        spec,
        [_layer(config, spec, Neighbours(rotary=Rotary(head_width=turned))) for _ in range(spec.layers)],
        embed=Embeddings(spec.pieces, spec.width),
        final=normed(config, spec.width),
        output=head(config, spec, stored, "transformer.", bias=True),
        tied=config["tie_word_embeddings"],
        names=NAMES,
        prefixes=("transformer.",),
        ignored={
            f"{_LAYER}.attn.bias": "buffer",
            f"{_LAYER}.attn.masked_bias": "buffer",
            f"{_LAYER}.attn.embed_positions": "buffer",
        },
    )


def _spec(config: Config) -> Spec:
    width = config["n_embd"]
    return Spec(
        family="gptj",
        kind="decoder",
        layers=config["n_layer"],
        heads=even_heads(width, config["n_head"], biases=NONE),
        width=width,
        inner=config["n_inner"] or 4 * width,
        pieces=config["vocab_size"],
        positions=config["n_positions"],
    )


def _layer(config: Config, spec: Spec, turned: Neighbours) -> SharedNorm:
    return SharedNorm(
        mixer=SelfAttention(spec.width, spec.heads, rule=Causal(), positions=turned),
        mixer_norm=normed(config, spec.width),
        feed_forward=FeedForward(spec.width, spec.inner, act=activation(config["activation_function"])),
    )


GPTJ = Family(model_type="gptj", plan=plan)
