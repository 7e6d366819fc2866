"""Mixers: the parts through which positions exchange information."""

from core.mixers.attention import ALL, NO_HEADS, NONE, CrossAttention, HeadNorms, Heads, SelfAttention
from core.mixers.softmax import Attention
from core.mixers.statespace import Dual, Selective, Space, SpaceNorms

__all__ = [
    "ALL",
    "NONE",
    "NO_HEADS",
    "Attention",
    "CrossAttention",
    "Dual",
    "HeadNorms",
    "Heads",
    "Selective",
    "SelfAttention",
    "Space",
    "SpaceNorms",
]
