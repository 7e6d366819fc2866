"""Memory that holds one tensor each, and is lent again when that tensor has gone.

Fresh memory costs: the system clears it, and on a rented machine often has to ask for it first, which for a long text
was measured as up to a sixth of the whole run. So what a dropped trace leaves serves the next one, up to a limit.
"""

from __future__ import annotations

import mmap
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from math import prod

import numpy as np
import torch
from torch import Tensor

SPARE = 384 << 20


class Pages:
    """Memory outside the usual one, of which at most `spare` bytes wait for their next use.

    Tensors may go in any thread, in the middle of anything, so there is no lock: each step on the deque is one.
    """

    def __init__(self, spare: int = SPARE) -> None:
        self.spare, self._waiting = spare, deque[mmap.mmap]()

    @property
    def waiting(self) -> int:
        """Bytes that nobody uses."""
        return sum(map(len, self._waiting.copy()))

    def take(self, size: int) -> mmap.mmap:
        """Return memory of at least so many bytes: what waits, or fresh memory."""
        return self._found(size) or own_pages(size)

    def tensor(self, pages: mmap.mmap, dtype: torch.dtype, shape: Sequence[int]) -> Tensor:
        """Return what lies in memory that was taken as a tensor; the memory comes back with the last user of that."""
        numbers = np.frombuffer(pages, dtype=np.uint8, count=prod(shape) * dtype.itemsize)
        weakref.finalize(numbers, self._back, pages).atexit = False
        return torch.from_numpy(numbers).view(dtype).view(*shape)

    def _found(self, size: int) -> mmap.mmap | None:
        """Take what waits and is large enough, but not by more than a quarter."""
        for pages in self._waiting.copy():
            if size <= len(pages) <= size * 5 // 4:
                with suppress(ValueError):
                    self._waiting.remove(pages)
                    return pages
        return None

    def _back(self, pages: mmap.mmap) -> None:
        """Let pages wait, and what has waited longest go."""
        self._waiting.append(pages)
        while self.waiting > self.spare:
            with suppress(IndexError):
                self._waiting.popleft()


def own_pages(size: int) -> mmap.mmap:
    """Return memory that holds nothing else, in huge pages where the system has them; it goes with its last user."""
    if not hasattr(mmap, "MAP_ANONYMOUS"):
        return mmap.mmap(-1, size)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(AttributeError, OSError):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
