"""Blocks: everything in a Transformer that is not a mixer."""

from core.blocks.alone import Alone
from core.blocks.computed import ComputedEmbeddings, CountedComputed
from core.blocks.embeddings import CountedEmbeddings, Embeddings, Projected
from core.blocks.experts import Experts
from core.blocks.feed_forward import FeedForward, GatedFeedForward
from core.blocks.frames import Frames
from core.blocks.heads import Bend, ClassHead, EndedSpace, LanguageHead, MaskedLanguageHead, SharedSpace, TaughtHead
from core.blocks.layers import InnerNorm, Layer, PostNorm, PreNorm, Sandwich
from core.blocks.norms import GroupedRMSNorm, LayerNorm, RMSNorm
from core.blocks.parallel import NormedStream, Parallel, SharedNorm
from core.blocks.patches import Patches
from core.blocks.shifted import ShiftedEmbeddings

__all__ = [
    "Alone",
    "Bend",
    "ClassHead",
    "ComputedEmbeddings",
    "CountedComputed",
    "CountedEmbeddings",
    "Embeddings",
    "EndedSpace",
    "Experts",
    "FeedForward",
    "Frames",
    "GatedFeedForward",
    "GroupedRMSNorm",
    "InnerNorm",
    "LanguageHead",
    "Layer",
    "LayerNorm",
    "MaskedLanguageHead",
    "NormedStream",
    "Parallel",
    "Patches",
    "PostNorm",
    "PreNorm",
    "Projected",
    "RMSNorm",
    "Sandwich",
    "SharedNorm",
    "SharedSpace",
    "ShiftedEmbeddings",
    "TaughtHead",
]
