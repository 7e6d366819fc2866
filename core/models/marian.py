"""Marian (Junczys-Dowmunt et al. 2018): the Transformer of 2017 as published for translation, post-norm, with sines in
the first half of each position's row and cosines in the second."""

from __future__ import annotations

from core.blocks import ComputedEmbeddings, Embeddings, PostNorm
from core.errors import CoreError
from core.models import bart
from core.models.decoder import settled
from core.models.plan import Config, Family, Plan, Spec
from core.positions import Sinusoidal

USUAL = {
    **bart.USUAL,
    "vocab_size": 58101,
    "decoder_vocab_size": None,
    "pad_token_id": 58100,
    "eos_token_id": 0,
    "decoder_start_token_id": 58100,
    "share_encoder_decoder_embeddings": True,
}
SWITCHES = {"normalize_before": False, "add_final_layer_norm": False, "normalize_embedding": False}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Marian config; positions are taken from the file where it holds them.

    Raises:
        CoreError: `unknown_activation`, or `config_value` for a decoder with a vocabulary of its own, for whose pieces
            a folder has no second tokenizer.json.
    """
    config = settled(config, USUAL)
    bart.agree(config, SWITCHES)
    _one_vocabulary(config)
    spec = bart.numbers("marian", config)
    written = any(name.endswith("encoder.embed_positions.weight") for name in stored)
    shared = config["share_encoder_decoder_embeddings"] and bart.shared(config, stored)
    both = bart.sides(config, spec, lambda: _embed(config, spec, written), wiring=PostNorm, shared=shared)
    return bart.whole(config, spec, both, stored)


def _one_vocabulary(config: Config) -> None:
    came, allowed = config["decoder_vocab_size"], config["vocab_size"]
    if came not in (None, allowed):
        raise CoreError("config_value", name="decoder_vocab_size", came=came, allowed=allowed)


def _embed(config: Config, spec: Spec, written: bool) -> Embeddings:
    scale = bart.scaled(config)
    if written:
        return Embeddings(spec.pieces, spec.width, positions=spec.positions, scale=scale)
    scheme = Sinusoidal(width=spec.width, layout="halves")
    return ComputedEmbeddings(spec.pieces, spec.width, scheme=scheme, scale=scale)


MARIAN = Family(model_type="marian", plan=plan)
