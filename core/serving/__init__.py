"""Serving: many prompts at once on one pool of blocks, what that saves, and what the cache saves in the first place."""

from core.serving.comparing import Comparison, Way, compare
from core.serving.events import KINDS, Branch, Event, Occupancy, Replay, Served
from core.serving.pages import PagedCache, Pages
from core.serving.pool import Pool
from core.serving.prefixes import PrefixTree
from core.serving.reading import layers
from core.serving.replaying import MOST, replay
from core.serving.sharing import in_turns
from core.serving.usage import POLICIES, Usage, contiguous, paged

__all__ = [
    "KINDS",
    "MOST",
    "POLICIES",
    "Branch",
    "Comparison",
    "Event",
    "Occupancy",
    "PagedCache",
    "Pages",
    "Pool",
    "PrefixTree",
    "Replay",
    "Served",
    "Usage",
    "Way",
    "compare",
    "contiguous",
    "in_turns",
    "layers",
    "paged",
    "replay",
]
