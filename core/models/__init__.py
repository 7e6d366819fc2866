"""Models: published families as translations into shared parts. One file and one row a family."""

from core.errors import CoreError
from core.models.albert import ALBERT
from core.models.bert import BERT
from core.models.deberta import DEBERTA
from core.models.distilbert import DISTILBERT
from core.models.electra import ELECTRA
from core.models.llama import LLAMA
from core.models.model import Model, Network
from core.models.mpnet import MPNET
from core.models.plan import Family, Plan, Spec
from core.models.roberta import ROBERTA, XLM_ROBERTA

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
        LLAMA,
    )
}


def family(model_type: str | None) -> Family:
    """Return the family that a config names.

    Raises:
        CoreError: `unknown_family`, with the list of those that are known.
    """
    if model_type not in FAMILIES:
        raise CoreError("unknown_family", came=model_type or "—", allowed=", ".join(sorted(FAMILIES)))
    return FAMILIES[model_type]


__all__ = ["FAMILIES", "Family", "Model", "Network", "Plan", "Spec", "family"]
