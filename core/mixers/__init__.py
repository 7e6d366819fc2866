"""Mixers: the parts through which positions exchange information."""

from core.mixers.attention import ALL, NO_HEADS, NONE, CrossAttention, HeadNorms, Heads, SelfAttention
from core.mixers.mixer import Influence, Mixer
from core.mixers.softmax import Attention
from core.mixers.statespace import Dual, Selective, Space, SpaceNorms
from core.mixers.table import MIXERS, Kind, mixer

__all__ = [
    "ALL",
    "MIXERS",
    "NONE",
    "NO_HEADS",
    "Attention",
    "CrossAttention",
    "Dual",
    "HeadNorms",
    "Heads",
    "Influence",
    "Kind",
    "Mixer",
    "Selective",
    "SelfAttention",
    "Space",
    "SpaceNorms",
    "mixer",
]
