"""How many pages are open: counted at the door, one for each connection."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_count = [0]


@contextmanager
def one() -> Iterator[None]:
    """Count one more page while its connection lasts."""
    with _lock:
        _count[0] += 1
    try:
        yield
    finally:
        with _lock:
            _count[0] -= 1


def count() -> int:
    """Return how many pages are open."""
    return _count[0]
