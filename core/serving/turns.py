"""Many texts in turns: every round admits who fits and lets each text in work write one piece.

Continuous batching (Yu et al. 2022, section 3.1) with the memory of Kwon et al. 2023 (section 4.5: first come, first
served; whoever came last is preempted and computed again) and the beginnings of Zheng et al. 2024.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from core.models import Model
from core.serving.events import Branch, Event, Occupancy
from core.serving.pages import PagedCache, Pages
from core.serving.pool import Pool
from core.serving.prefixes import Node, PrefixTree
from core.serving.reading import likeliest, step
from core.serving.sharing import own_turn


@dataclass(frozen=True, kw_only=True)
class Setup:
    """How a server is set up: blocks of `block_size` positions, at most `together` texts in work, a new one every
    `apart` rounds, each writing up to `limit` pieces; whether beginnings are shared."""

    block_size: int
    blocks: int
    limit: int
    together: int
    apart: int
    sharing: bool


@dataclass(kw_only=True, eq=False)
class Work:
    """One request while it is served: what came, what is written, where its keys and values lie."""

    number: int
    prompt: tuple[int, ...]
    arrived: int
    cache: PagedCache
    written: list[int] = field(default_factory=list)
    node: Node | None = None
    waits: bool = False
    began: int = 0
    ended: int = 0
    matched: int = 0
    computed: int = 0
    preemptions: int = 0
    reason: str = ""

    @property
    def ids(self) -> tuple[int, ...]:
        """The prompt and what is written after it."""
        return (*self.prompt, *self.written)


class Turns:
    """Serves requests round by round and remembers every event."""

    def __init__(self, model: Model, setup: Setup, prompts: tuple[tuple[int, ...], ...]) -> None:
        self.model, self.setup, self.round = model, setup, 0
        self.pool = Pool(blocks=setup.blocks, size=setup.block_size)
        self.tree = PrefixTree(self.pool)
        pages = Pages(self.pool)
        self.all = [
            Work(number=number, prompt=ids, arrived=number * setup.apart, cache=PagedCache(pages))
            for number, ids in enumerate(prompts)
        ]
        self.waiting, self.running = deque[Work](), list[Work]()
        self.events: list[Event] = []

    def run(self) -> None:
        """Serve until everybody has finished."""
        while not all(work.reason for work in self.all):
            for work in self.all:
                if work.arrived == self.round:
                    self.waiting.append(work)
                    self._tell("arrived", work, tokens=len(work.prompt))
            admitted = self._admit()
            for work in [work for work in self.running if work not in admitted]:
                if work in self.running:
                    self._go_on(work)
            self.round += 1

    def _admit(self) -> list[Work]:
        """Begin with the waiting, first come first served, as long as there is room."""
        admitted = []
        while self.waiting and len(self.running) < self.setup.together and self._begin(self.waiting[0]):
            admitted.append(self.waiting.popleft())
        for work in self.waiting:
            if not work.waits:
                work.waits = True
                self._tell("queued", work)
        return admitted

    def _begin(self, work: Work) -> bool:
        """Compute what is not known of a text and write its next piece; False where there is no room for it."""
        self._match(work)
        if not self._room(work, len(work.ids) - work.cache.length):
            self._leave(work)
            return False
        if work.cache.length:
            self._tell("matched", work, tokens=work.cache.length, blocks=work.cache.table)
        if not work.began:
            work.began = self.round
        known, work.waits = work.cache.length, False
        work.matched, work.computed = work.matched + known, work.computed + len(work.ids) - known
        self.running.append(work)
        self._forward(work, work.ids[known:], begins=True)
        return True

    def _match(self, work: Work) -> None:
        """Hold the blocks of the longest known beginning; the last piece is always computed, since its logits are
        needed."""
        if not self.setup.sharing:
            return
        found = self.tree.match(work.ids[:-1])
        for block in found.table:
            self.pool.share(block)
        self.tree.lock(found.node)
        work.node, work.cache.table, work.cache.length = found.node, found.table, found.length

    def _go_on(self, work: Work) -> None:
        """Write one more piece; where there is no block for it, whoever came last gives way."""
        while not self._room(work, 1):
            last = self.running[-1]
            self._preempt(last)
            if last is work:
                return
        self._forward(work, work.ids[-1:])

    def _room(self, work: Work, count: int) -> bool:
        """Drop what nobody uses until `count` more positions fit; a text that is alone may drop everything."""
        while work.cache.needs(count) > self.pool.free:
            gone = self.tree.evict()
            if gone is None and any(other is not work for other in self.running):
                return False
            if gone is None:
                self._forget(work)
                return True
            node, freed = gone
            self._tell("evicted", None, tokens=len(node.ids), blocks=freed)
        return True

    def _forget(self, work: Work) -> None:
        """Empty the tree for a text that needs the whole pool; before it has begun, what was matched goes as well."""
        work.node = None
        if work not in self.running:
            work.cache.let_go()
        self._tell("evicted", None, blocks=self.tree.clear())

    def _forward(self, work: Work, new: tuple[int, ...], *, begins: bool = False) -> None:
        """Run the model on new pieces of a text, through its pages, and write the likeliest next one."""
        start = work.cache.length
        if copied := work.cache.part():
            self._tell("copied", work, tokens=start % self.pool.size, blocks=copied)
        if added := work.cache.grow(len(new)):
            self._tell("allocated", work, blocks=added)
        with own_turn():
            logits = step(self.model, new, work.cache)
        full = work.cache.mark(start)
        if begins:
            self._tell("computed", work, tokens=len(new))
        for block in full:
            self._tell("filled", work, tokens=self.pool.size, blocks=(block,))
        work.written.append(likeliest(self.model, logits, first=not work.written))
        self._tell("wrote", work, tokens=1, ident=work.written[-1])
        if begins:
            self._remember(work, work.cache.length // self.pool.size * self.pool.size)
        self._close(work)

    def _remember(self, work: Work, count: int) -> None:
        """Put the first `count` positions into the tree, so that others can begin with them."""
        if not self.setup.sharing or not count:
            return
        node, new = self.tree.insert(work.ids[:count], work.cache.table)
        self.tree.lock(node)
        if work.node is not None:
            self.tree.unlock(work.node)
        work.node = node
        if new:
            self._tell("remembered", work, tokens=count, blocks=tuple(node.blocks))

    def _close(self, work: Work) -> None:
        ended = work.written[-1] in self.model.spec.ends
        if not ended and len(work.written) < self.setup.limit:
            return
        work.reason, work.ended = "end" if ended else "limit", self.round
        self._tell("finished", work, tokens=len(work.written))
        self._remember(work, work.cache.length)
        self.running.remove(work)
        self._tell("freed", work, blocks=self._leave(work))

    def _preempt(self, work: Work) -> None:
        """Take everything away from a text; it waits again, before all others, and is computed again."""
        self.running.remove(work)
        work.preemptions, work.waits = work.preemptions + 1, True
        self._tell("preempted", work, tokens=work.cache.length, blocks=self._leave(work))
        self.waiting.appendleft(work)

    def _leave(self, work: Work) -> tuple[int, ...]:
        """Give back the blocks and the lock of a text; return the blocks that are free now."""
        if work.node is not None:
            self.tree.unlock(work.node)
            work.node = None
        return work.cache.let_go()

    def _tell(
        self, kind: str, work: Work | None, tokens: int = 0, blocks: tuple[int, ...] = (), ident: int | None = None
    ) -> None:
        event = Event(
            kind=kind,
            round=self.round,
            request=None if work is None else work.number,
            tokens=tokens,
            blocks=blocks,
            ident=ident,
            pool=self._occupancy(),
        )
        self.events.append(event)

    def _occupancy(self) -> Occupancy:
        return Occupancy(
            holders=np.array(self.pool.holders, dtype=np.int16),
            filled=np.array(self.pool.filled, dtype=np.int16),
            tables=tuple((work.number, work.cache.table, work.cache.length) for work in self.running),
            tree=branches(self.tree),
        )


def branches(tree: PrefixTree) -> tuple[Branch, ...]:
    """Return every node of a tree as a frozen value, parents first."""
    numbers = {node: number for number, node in enumerate(tree)}
    return tuple(
        Branch(
            ids=node.ids,
            start=node.start,
            parent=numbers.get(node.parent) if node.parent is not None else None,
            blocks=tuple(node.blocks),
            locks=node.locks,
        )
        for node in numbers
    )
