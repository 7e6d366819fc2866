"""Mixers: the parts through which positions exchange information."""

from core.mixers.self_attention import Heads, SelfAttention
from core.mixers.softmax import Attention

__all__ = ["Attention", "Heads", "SelfAttention"]
