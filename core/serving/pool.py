"""A pool of blocks: memory for keys and values, cut into pieces of equal size that are lent and counted.

Kwon et al. 2023, sections 4.2 and 4.4: a block belongs to whoever holds it, and to several at once where they share a
beginning; it is free when the last of them lets go.
"""

from __future__ import annotations

from collections import deque

from core.errors import CoreError


class Pool:
    """`blocks` blocks of `size` positions each; who holds how many of them, and how far each is filled."""

    def __init__(self, *, blocks: int, size: int) -> None:
        self.size = size
        self.holders = [0] * blocks
        self.filled = [0] * blocks
        self._free = deque(range(blocks))

    def __len__(self) -> int:
        return len(self.holders)

    @property
    def free(self) -> int:
        """How many blocks nobody holds."""
        return len(self._free)

    def take(self) -> int:
        """Return a block that was free, now held once and empty.

        Raises:
            CoreError: `pool_full`.
        """
        if not self._free:
            raise CoreError("pool_full", came=len(self) + 1, allowed=len(self))
        block = self._free.popleft()
        self.holders[block], self.filled[block] = 1, 0
        return block

    def share(self, block: int) -> None:
        """Hold a block once more."""
        self.holders[block] += 1

    def let_go(self, block: int) -> bool:
        """Hold a block once less; return whether it is free now."""
        self.holders[block] -= 1
        if self.holders[block]:
            return False
        self.filled[block] = 0
        self._free.append(block)
        return True

    def shared(self, block: int) -> bool:
        """Tell whether more than one holds a block."""
        return self.holders[block] > 1

    def covering(self, length: int) -> int:
        """Return how many blocks so many positions take."""
        return -(-length // self.size)
