"""Models: published families as translations into shared parts. One file and one row a family."""

from core.errors import CoreError
from core.models.albert import ALBERT
from core.models.bart import BART
from core.models.bert import BERT
from core.models.bloom import BLOOM
from core.models.clip import CLIP, CLIP_PICTURES, CLIP_TEXT
from core.models.deberta import DEBERTA
from core.models.distilbert import DISTILBERT
from core.models.electra import ELECTRA
from core.models.falcon import FALCON
from core.models.gemma import GEMMA2, GEMMA3, GEMMA3_PICTURES
from core.models.gpt2 import GPT2
from core.models.gpt_neo import GPT_NEO
from core.models.gpt_neox import GPT_NEOX
from core.models.gptj import GPTJ
from core.models.jamba import JAMBA
from core.models.llama import LLAMA
from core.models.m2m_100 import M2M_100
from core.models.mamba import MAMBA, MAMBA2
from core.models.marian import MARIAN
from core.models.mbart import MBART
from core.models.mistral import MISTRAL
from core.models.mixing import MIXING
from core.models.mixtral import MIXTRAL
from core.models.model import Model, Network
from core.models.modernbert import MODERNBERT
from core.models.mpnet import MPNET
from core.models.olmo import OLMO2
from core.models.opt import OPT
from core.models.phi import PHI
from core.models.phi3 import PHI3
from core.models.plan import Family, Plan, Spec
from core.models.qwen import QWEN2, QWEN3
from core.models.roberta import ROBERTA, XLM_ROBERTA
from core.models.t5 import MT5, T5
from core.models.vaswani import VASWANI
from core.models.vit import DEIT, VIT
from core.models.whisper import WHISPER

FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (
        BERT,
        ROBERTA,
        XLM_ROBERTA,
        DISTILBERT,
        ALBERT,
        ELECTRA,
        MPNET,
        DEBERTA,
        MODERNBERT,
        GPT2,
        GPT_NEO,
        GPTJ,
        GPT_NEOX,
        OPT,
        BLOOM,
        FALCON,
        PHI,
        PHI3,
        LLAMA,
        MISTRAL,
        MIXTRAL,
        QWEN2,
        QWEN3,
        GEMMA2,
        GEMMA3,
        GEMMA3_PICTURES,
        OLMO2,
        T5,
        MT5,
        BART,
        MBART,
        MARIAN,
        M2M_100,
        WHISPER,
        VASWANI,
        VIT,
        DEIT,
        CLIP,
        CLIP_TEXT,
        CLIP_PICTURES,
        MAMBA,
        MAMBA2,
        JAMBA,
        MIXING,
    )
}


FORMER: dict[str, Family] = {name: row for row in FAMILIES.values() for name in row.former}


def family(model_type: object) -> Family:
    """Return the family that a config names, by its name or a former one.

    Raises:
        CoreError: `unknown_family`, with the list of those that are known.
    """
    known = FAMILIES | FORMER
    if not isinstance(model_type, str) or model_type not in known:
        came = str(model_type or "—")[:80]
        raise CoreError("unknown_family", came=came, allowed=", ".join(sorted(FAMILIES)))
    return known[model_type]


def gguf_family(architecture: str | None) -> Family:
    """Return the family that a GGUF header names.

    Raises:
        CoreError: `unknown_family`, with the list of those that have a GGUF form here.
    """
    known = {row.gguf_architecture: row for row in FAMILIES.values() if row.gguf_architecture}
    if architecture not in known:
        raise CoreError("unknown_family", came=f"{architecture} (GGUF)", allowed=", ".join(sorted(known)))
    return known[architecture]


__all__ = ["FAMILIES", "Family", "Model", "Network", "Plan", "Spec", "family", "gguf_family"]
