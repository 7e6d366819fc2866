"""A cache in pages: the keys and values of one text lie in blocks anywhere in a pool, and a table says where.

Kwon et al. 2023, section 4.1: what is position n of the text is slot n % size of block table[n // size].
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from core.cache import Cache
from core.serving.pool import Pool
from core.shapes import Keys, Values
from core.tape import Place

KeptKeys = Float[Tensor, "1 group kept head_width"]
KeptValues = Float[Tensor, "1 group kept value_width"]


class Pages:
    """The tensors of a pool: per layer the keys and the values of every block [block, slot, group, width]."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.tensors: dict[Place, tuple[Tensor, Tensor]] = {}

    @property
    def bytes(self) -> int:
        """What is reserved for all blocks together."""
        return sum(part.numel() * part.element_size() for pair in self.tensors.values() for part in pair)

    @property
    def per_slot(self) -> int:
        """Bytes of one position in all layers."""
        return self.bytes // (len(self.pool) * self.pool.size)

    @torch.inference_mode()
    def write(self, place: Place, slots: Tensor, keys: Keys, values: Values) -> None:
        """Write new keys and values [1, group, key, width] of one layer into slots, counted through all blocks."""
        for pages, new in zip(self._at(place, keys, values), (keys, values), strict=True):
            pages.flatten(0, 1)[slots] = new[0].transpose(0, 1)

    def gather(self, place: Place, table: Tensor, length: int) -> tuple[KeptKeys, KeptValues]:
        """Return the first `length` keys and values of a table, in the order of the text [1, group, key, width]."""
        found = (pages[table].flatten(0, 1)[:length].transpose(0, 1)[None] for pages in self.tensors[place])
        keys, values = (part.contiguous() for part in found)
        return keys, values

    @torch.inference_mode()
    def copy(self, old: int, new: int) -> None:
        """Copy a block in every layer."""
        for pair in self.tensors.values():
            for pages in pair:
                pages[new] = pages[old]

    def _at(self, place: Place, keys: Keys, values: Values) -> tuple[Tensor, Tensor]:
        """Return the pages of a layer; the first text that comes by reserves them for all blocks."""
        if place not in self.tensors:
            size = len(self.pool), self.pool.size
            one, other = (part.new_zeros(*size, part.shape[1], part.shape[3]) for part in (keys, values))
            self.tensors[place] = one, other
        return self.tensors[place]


class PagedCache(Cache):
    """The cache of one text whose keys and values lie in pages; `table` names its blocks in order."""

    def __init__(self, pages: Pages, *, table: tuple[int, ...] = (), length: int = 0) -> None:
        super().__init__()
        self.pages, self.table, self.length = pages, table, length

    def extend(self, place: Place, keys: Keys, values: Values) -> tuple[KeptKeys, KeptValues]:
        """Write the new positions of one layer into the pages and return all that is kept there, gathered.

        Raises:
            CoreError: `pool_full` where nobody made room before.
        """
        count = keys.shape[2]
        self.grow(count)
        self.pages.write(place, self._slots(count, keys.device), keys, values)
        table = torch.tensor(self.table, device=keys.device)
        return self.pages.gather(place, table, self.length + count)

    def needs(self, count: int) -> int:
        """Return how many free blocks it takes to write `count` more positions."""
        return self.pages.pool.covering(self.length + count) - len(self.table) + self._shared

    def grow(self, count: int) -> tuple[int, ...]:
        """Make sure that `count` more positions can be written, and return the blocks that were added.

        Raises:
            CoreError: `pool_full`.
        """
        self.part()
        pool, here = self.pages.pool, self.length // self.pages.pool.size
        if here < len(self.table):
            pool.filled[self.table[here]] = min(pool.filled[self.table[here]], self.length % pool.size)
        added = tuple(pool.take() for _ in range(pool.covering(self.length + count) - len(self.table)))
        self.table += added
        return added

    def part(self) -> tuple[int, int] | None:
        """Copy the block of the next position where others read it too (copy on write, section 4.4); return the old one
        and the new one.

        Raises:
            CoreError: `pool_full`.
        """
        if not self._shared:
            return None
        pool, here = self.pages.pool, self.length // self.pages.pool.size
        old, new = self.table[here], pool.take()
        self.pages.copy(old, new)
        pool.filled[new] = self.length % pool.size
        pool.let_go(old)
        self.table = (*self.table[:here], new, *self.table[here + 1 :])
        return old, new

    def mark(self, start: int) -> tuple[int, ...]:
        """Note in the pool how far the blocks are filled since position `start`; return those that became full."""
        pool, full = self.pages.pool, []
        for number in range(start // pool.size, pool.covering(self.length)):
            block, before = self.table[number], pool.filled[self.table[number]]
            pool.filled[block] = max(before, min(pool.size, self.length - number * pool.size))
            full += [block] if before < pool.filled[block] == pool.size else []
        return tuple(full)

    def let_go(self) -> tuple[int, ...]:
        """Give every block back and forget everything; return those that are free now."""
        freed = tuple(block for block in self.table if self.pages.pool.let_go(block))
        self.table, self.length = (), 0
        self.carried.clear()
        return freed

    @property
    def bytes(self) -> int:
        """Bytes of the positions that are kept, whoever else reads them."""
        return self.pages.per_slot * self.length + self._others

    @property
    def reserved(self) -> int:
        """Bytes of the blocks that are held."""
        return self.pages.per_slot * self.pages.pool.size * len(self.table) + self._others

    @property
    def _shared(self) -> bool:
        """Whether the next position lies in a block that others read as well."""
        pool, here = self.pages.pool, self.length // self.pages.pool.size
        return here < len(self.table) and pool.shared(self.table[here])

    def _slots(self, count: int, device: torch.device) -> Tensor:
        size = self.pages.pool.size
        places = range(self.length, self.length + count)
        return torch.tensor([self.table[place // size] * size + place % size for place in places], device=device)
