"""A radix tree over the pieces of texts: what was computed for a beginning is found again by whoever begins so too.

Zheng et al. 2024, section 3: an edge is a run of pieces, a node holds the blocks with their keys and values; what
nobody uses is dropped leaf by leaf, the one that was used longest ago first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.serving.pool import Pool


@dataclass(kw_only=True, eq=False)
class Node:
    """A run of pieces that begins at position `start`, with the blocks that cover it; `locks` are the texts in work
    that run through it, `used` is when it was last asked for."""

    ids: tuple[int, ...]
    start: int
    blocks: list[int]
    parent: Node | None = None
    children: dict[int, Node] = field(default_factory=dict)
    locks: int = 0
    used: int = 0

    @property
    def end(self) -> int:
        """The position after its last piece."""
        return self.start + len(self.ids)


@dataclass(frozen=True, kw_only=True, eq=False)
class Match:
    """The longest beginning that is known: the node it ends in, its length, and the blocks that hold it."""

    node: Node
    length: int
    table: tuple[int, ...]


class PrefixTree:
    """Every known beginning; each node holds its blocks once in the pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.root = Node(ids=(), start=0, blocks=[])
        self._clock = 0

    def match(self, ids: Sequence[int]) -> Match:
        """Return the longest known beginning; an edge that fits in part is split where it stops fitting."""
        self._clock += 1
        node, table = self.root, list[int]()
        while node.end < len(ids) and (child := node.children.get(ids[node.end])) is not None:
            same = _common(child.ids, ids[child.start :])
            node = child if same == len(child.ids) else self._split(child, same)
            node.used = self._clock
            table[node.start // self.pool.size :] = node.blocks
            if node is not child:
                break
        return Match(node=node, length=node.end, table=tuple(table))

    def insert(self, ids: Sequence[int], table: Sequence[int]) -> tuple[Node, bool]:
        """Add a text whose keys and values lie in the blocks of `table`; return the node in which it ends, and whether
        anything of it was new."""
        node = self.match(ids).node
        if node.end == len(ids):
            return node, False
        blocks = list(table[node.end // self.pool.size : self.pool.covering(len(ids))])
        for block in blocks:
            self.pool.share(block)
        leaf = Node(ids=tuple(ids[node.end :]), start=node.end, blocks=blocks, parent=node, used=self._clock)
        node.children[leaf.ids[0]] = leaf
        return leaf, True

    def lock(self, node: Node, by: int = 1) -> None:
        """Keep a node and all before it from being dropped while a text in work needs them."""
        for each in _upwards(node):
            each.locks += by

    def unlock(self, node: Node) -> None:
        """Take one lock away again."""
        self.lock(node, -1)

    def evict(self) -> tuple[Node, tuple[int, ...]] | None:
        """Drop the unlocked leaf that was used longest ago; return it with the blocks that are free now, or None."""
        leaves = [node for node in self if not node.children and not node.locks]
        if not leaves:
            return None
        oldest = min(leaves, key=lambda node: (node.used, -node.start))
        if oldest.parent is not None:
            del oldest.parent.children[oldest.ids[0]]
        return oldest, tuple(block for block in oldest.blocks if self.pool.let_go(block))

    def clear(self) -> tuple[int, ...]:
        """Drop everything, locked or not; a block that a text in work holds stays with it. Return what is free now."""
        freed = tuple(block for node in self for block in node.blocks if self.pool.let_go(block))
        self.root = Node(ids=(), start=0, blocks=[])
        return freed

    def __iter__(self) -> Iterator[Node]:
        """Yield every node but the root, parents first."""
        waiting = list(self.root.children.values())
        while waiting:
            node = waiting.pop(0)
            waiting += node.children.values()
            yield node

    def _split(self, node: Node, at: int) -> Node:
        """Cut an edge after `at` pieces and return its first part; a block in the middle of which it is cut belongs to
        both parts."""
        cut, first = node.start + at, node.start // self.pool.size
        blocks = node.blocks[: self.pool.covering(cut) - first]
        front = Node(ids=node.ids[:at], start=node.start, blocks=blocks, parent=node.parent, locks=node.locks)
        if node.parent is not None:
            node.parent.children[front.ids[0]] = front
        if cut % self.pool.size:
            self.pool.share(blocks[-1])
        node.blocks = node.blocks[cut // self.pool.size - first :]
        node.ids, node.start, node.parent = node.ids[at:], cut, front
        front.children[node.ids[0]] = node
        return front


def _upwards(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        yield node
        node = node.parent


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many pieces two runs have in common from their first."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
