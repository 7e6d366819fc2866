"""Blocks: everything in a Transformer that is not a mixer."""

from core.blocks.computed import ComputedEmbeddings, CountedComputed
from core.blocks.embeddings import CountedEmbeddings, Embeddings, Projected
from core.blocks.experts import Experts
from core.blocks.feed_forward import FeedForward, GatedFeedForward
from core.blocks.frames import Frames
from core.blocks.heads import Bend, ClassHead, LanguageHead, MaskedLanguageHead
from core.blocks.layers import InnerNorm, Layer, PostNorm, PreNorm, Sandwich
from core.blocks.norms import LayerNorm, RMSNorm
from core.blocks.parallel import NormedStream, Parallel, SharedNorm
from core.blocks.shifted import ShiftedEmbeddings

__all__ = [
    "Bend",
    "ClassHead",
    "ComputedEmbeddings",
    "CountedComputed",
    "CountedEmbeddings",
    "Embeddings",
    "Experts",
    "FeedForward",
    "Frames",
    "GatedFeedForward",
    "InnerNorm",
    "LanguageHead",
    "Layer",
    "LayerNorm",
    "MaskedLanguageHead",
    "NormedStream",
    "Parallel",
    "PostNorm",
    "PreNorm",
    "Projected",
    "RMSNorm",
    "Sandwich",
    "SharedNorm",
    "ShiftedEmbeddings",
]
