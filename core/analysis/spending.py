"""What mixers cost, counted while they run: operations, bytes that are kept, and how long the longest chain of
operations is that must wait for one another.

Work and chain are those of Brent 1974, section 2: with as many hands as one likes, nothing is done sooner than the
chain, and work over chain is how many hands have something to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.analysis.counting import Counting
from core.blocks.untrained import drawn
from core.cache import Cache
from core.mixers import MIXERS, Mixer, SelfAttention, mixer
from core.mixers.recurrent import Recurrent
from core.mixers.softmax import near_only
from core.tape import Place
from core.walk import walk_over

WIDTH, LENGTHS, KEPT = 64, (256, 512, 1024), (64, 1024)
SQUARED = 0.02  # the share of the work at 1,024 positions from which a term in n² counts as one
NAMES = tuple((kind.name, kind.idea) for kind in MIXERS)
HYBRID = (2024, ("full", "mamba"))  # layers of several kinds in one model (Lieber et al. 2024, "Jamba", section 2)
TREE = {**{kind.name: (kind.year, kind.after) for kind in MIXERS}, "hybrid": HYBRID}


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What one mixer of 64 numbers a position takes.

    `work` has the operations of 256 and 1,024 positions at once (a multiplication and an addition are two), `squared`
    whether they grow with the square of the length; `kept` the bytes kept after 64 and 1,024 positions (None for one
    that cannot write); `chain` the longest row of operations over 256 and over 512 positions, the slow form of
    recurrences and the fast form of all others. Masked cells are counted where a block is looked at whole.
    """

    name: str
    idea: str
    work: tuple[int, int]
    squared: bool
    kept: tuple[int, int] | None
    chain: tuple[int, int]

    @property
    def serial(self) -> bool:
        """Whether the chain grows with the length."""
        return self.chain[1] > self.chain[0]

    @property
    def abreast(self) -> int:
        """How many operations can run at once over 256 positions."""
        return self.work[0] // self.chain[0]


@cache
def spent(name: str) -> Spent:
    """Return what a mixer costs, counted.

    Raises:
        CoreError: `config_value` for an unknown mixer.
    """
    part = mixer(name, WIDTH)
    part.begin(torch.Generator().manual_seed(0))
    work = [_work(part, length) for length in LENGTHS]
    bent = 8 / 3 * (work[2] - 3 * work[1] + 2 * work[0])  # a + b n + c n² at n, 2 n and 4 n: what c (4 n)² is
    return Spent(
        name=name,
        idea=dict(NAMES)[name],
        work=(work[0], work[2]),
        squared=bent > SQUARED * work[2],
        kept=(kept(part, KEPT[0]), kept(part, KEPT[1])) if part.causal else None,
        chain=(_chain(part, LENGTHS[0]), _chain(part, LENGTHS[1])),
    )


def spelled_out(part: Mixer, given: Tensor) -> Tensor:
    """Run a mixer so that each of its operations can be seen: recurrences step by step, softmax by its formula."""
    if isinstance(part, Recurrent):
        return part.plain(given)
    walk = walk_over(torch.ones(given.shape[:2], dtype=torch.bool))
    with sdpa_kernel(SDPBackend.MATH):
        return part(given, walk, Place("decoder", 0))


@torch.no_grad()
def _work(part: Mixer, length: int) -> int:
    given = drawn(1, length, WIDTH, seed=0)
    with Counting() as counting:
        spelled_out(part, given)
    return counting.work.total


@torch.no_grad()
def kept(part: Mixer, length: int) -> int:
    """Return the bytes that a mixer keeps of a text, counted in its cache."""
    place = Place("decoder", 0)
    cache = Cache(windows={place: near_only(part.rule)} if isinstance(part, SelfAttention) else {})
    part(drawn(1, length, WIDTH, seed=0), walk_over(torch.ones(1, length, dtype=torch.bool), cache=cache), place)
    return cache.bytes


def _chain(part: Mixer, length: int) -> int:
    """Return the length of the longest path through the graph that autograd keeps of a run."""
    with torch.enable_grad():
        mixed = spelled_out(part, drawn(1, length, WIDTH, seed=0).requires_grad_())
    depth: dict[Any, int] = {}
    waiting = [mixed.grad_fn]
    while waiting:
        node = waiting[-1]
        before = [one for one, _ in node.next_functions if one is not None] if node is not None else []
        missing = [one for one in before if one not in depth]
        if missing:
            waiting += missing
        else:
            waiting.pop()
            depth[node] = 1 + max((depth[one] for one in before), default=0)
    return depth[mixed.grad_fn]
