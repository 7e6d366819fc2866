"""mBART and mBART-50 (Liu et al. 2020; Tang et al. 2020): BART with its norms before the parts, and one more after each
side; pieces that name a language begin or end its texts."""

from __future__ import annotations

from core.blocks import PreNorm
from core.models import bart
from core.models.decoder import settled
from core.models.plan import Config, Family, Plan

USUAL = {**bart.USUAL, "decoder_start_token_id": None, "num_labels": 2}
SWITCHES = {"normalize_before": True, "add_final_layer_norm": True, "normalize_embedding": True}


def plan(config: Config, stored: frozenset[str]) -> Plan:
    """Translate a published mBART config; where it names no first piece, a target must begin with its language.

    Raises:
        CoreError: `unknown_activation` or `config_value`.
    """
    config = settled(config, USUAL)
    bart.agree(config, SWITCHES)
    spec = bart.numbers("mbart", config)
    shared = bart.shared(config, stored)
    both = bart.sides(config, spec, lambda: bart.learned(config, spec), wiring=PreNorm, shared=shared, final=True)
    return bart.whole(config, spec, both, stored)


MBART = Family(model_type="mbart", plan=plan)
