"""M2M-100 (Fan et al. 2021) and NLLB (NLLB Team 2022): pre-norm sides with a norm after each, and fairseq's sines and
cosines, counted from after the padding piece."""

from __future__ import annotations

from core.blocks import CountedComputed, PreNorm
from core.models import bart
from core.models.decoder import settled
from core.models.plan import Config, Family, Plan, Spec
from core.positions import Sinusoidal

USUAL = {**bart.USUAL, "vocab_size": 128112, "activation_function": "relu", "scale_embedding": True}
TABLES = {"encoder.embed_positions.": "buffer", "decoder.embed_positions.": "buffer"}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published M2M-100 config; a target begins with the piece of its language, which folders leave to the
    person.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, USUAL)
    spec = bart.numbers("m2m_100", config)
    shared = bart.shared(config, stored)
    both = bart.sides(config, spec, lambda: _embed(config, spec), wiring=PreNorm, shared=shared, final=True)
    return bart.whole(config, spec, both, stored, ignored=TABLES)


def _embed(config: Config, spec: Spec) -> CountedComputed:
    scheme = Sinusoidal(width=spec.width, layout="halves", closed=True, single=True)
    pad, scale = config["pad_token_id"], bart.scaled(config)
    return CountedComputed(spec.pieces, spec.width, pad=pad, scheme=scheme, scale=scale)


M2M_100 = Family(model_type="m2m_100", plan=plan)
