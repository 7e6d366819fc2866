"""Whisper (Radford et al. 2023): an encoder over mel frames, with sines as stored, and a decoder that writes what it
hears; pre-norm sides, and keys without a bias."""

from __future__ import annotations

from core.blocks import Embeddings, Frames, PreNorm
from core.mixers import ALL
from core.models import bart
from core.models.decoder import refuse, settled
from core.models.plan import Config, Family, Plan

USUAL = {
    **bart.USUAL,
    "vocab_size": 51865,
    "num_mel_bins": 80,
    "encoder_layers": 4,
    "encoder_ffn_dim": 1536,
    "encoder_attention_heads": 6,
    "decoder_layers": 4,
    "decoder_ffn_dim": 1536,
    "decoder_attention_heads": 6,
    "d_model": 384,
    "max_source_positions": 1500,
    "max_target_positions": 448,
    "eos_token_id": 50256,
    "decoder_start_token_id": 50257,
}
BIASES = ALL - {"keys"}
NAMES = {
    "encoder.conv1": "encoder.embed.first",
    "encoder.conv2": "encoder.embed.second",
    "proj_out": "output.pieces",
}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published Whisper config; it always hears as many frames as its encoder has positions for.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, USUAL)
    refuse(config, {"scale_embedding": False})
    places, bins = config["max_source_positions"], config["num_mel_bins"]
    reach = {**config, "max_position_embeddings": config["max_target_positions"]}
    spec = bart.numbers("whisper", reach, biases=BIASES, signal=(bins, 2 * places), places=places)
    hears = Frames(bins, spec.width, positions=places)
    writes = Embeddings(spec.pieces, spec.width, positions=spec.positions)
    both = (
        bart.side("encoder", config, spec, hears, wiring=PreNorm, final=True),
        bart.side("decoder", config, spec, writes, wiring=PreNorm, final=True),
    )
    return bart.whole(config, spec, both, stored, names=NAMES)


WHISPER = Family(model_type="whisper", plan=plan)
