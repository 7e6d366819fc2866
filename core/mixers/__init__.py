"""Mixers: the parts through which positions exchange information."""

from core.mixers.attention import ALL, NONE, CrossAttention, HeadNorms, Heads, SelfAttention
from core.mixers.softmax import Attention

__all__ = ["ALL", "NONE", "Attention", "CrossAttention", "HeadNorms", "Heads", "SelfAttention"]
