"""Blocks: everything in a Transformer that is not a mixer."""

from core.blocks.embeddings import Embeddings
from core.blocks.feed_forward import FeedForward, GatedFeedForward
from core.blocks.heads import LanguageHead, MaskedLanguageHead
from core.blocks.layers import Layer, PostNorm, PreNorm
from core.blocks.norms import LayerNorm, RMSNorm

__all__ = [
    "Embeddings",
    "FeedForward",
    "GatedFeedForward",
    "LanguageHead",
    "Layer",
    "LayerNorm",
    "MaskedLanguageHead",
    "PostNorm",
    "PreNorm",
    "RMSNorm",
]
