"""Blocks: everything in a Transformer that is not a mixer."""

from core.blocks.embeddings import CountedEmbeddings, Embeddings, Projected
from core.blocks.feed_forward import FeedForward, GatedFeedForward
from core.blocks.heads import Bend, ClassHead, LanguageHead, MaskedLanguageHead
from core.blocks.layers import Layer, PostNorm, PreNorm
from core.blocks.norms import LayerNorm, RMSNorm

__all__ = [
    "Bend",
    "ClassHead",
    "CountedEmbeddings",
    "Embeddings",
    "FeedForward",
    "GatedFeedForward",
    "LanguageHead",
    "Layer",
    "LayerNorm",
    "MaskedLanguageHead",
    "PostNorm",
    "PreNorm",
    "Projected",
    "RMSNorm",
]
