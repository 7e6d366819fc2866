"""Open pages, counted at the door, one for each connection; what they keep is given back when nobody needs it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

MOST = 1000


@dataclass(eq=False)
class Visit:
    """One open page: when it `began`, when its person was last `seen` to do something, how many bytes were `sent`; the
    `session` that it is, the keys of the `traces` that it asked for last, and the names of its `uploads`."""

    began: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)
    sent: int = 0
    session: str = ""
    traces: dict[str, None] = field(default_factory=dict)
    uploads: dict[str, None] = field(default_factory=dict)


_lock = threading.Lock()
_open: dict[int, Visit] = {}
_rested = [0]


@contextmanager
def one() -> Iterator[Visit]:
    """Count one more page while its connection lasts."""
    visit = Visit()
    with _lock:
        _open[id(visit)] = visit
    try:
        yield visit
    finally:
        with _lock:
            del _open[id(visit)]


def count() -> int:
    """Return how many pages are open."""
    return len(_open)


def note(*, trace: str = "", upload: str = "") -> None:
    """Note for the page that runs now that it asked for a trace, or that something was brought along."""
    running = get_script_run_ctx(suppress_warning=True)
    if running is None:
        return
    with _lock:
        for visit in _open.values():
            if visit.session == running.session_id:
                _put(visit.traces, trace)
                _put(visit.uploads, upload)


def _put(names: dict[str, None], name: str) -> None:
    """Put a name last, and forget the first of too many; an empty one is none."""
    if name:
        names.pop(name, None)
        names[name] = None
    while len(names) > MOST:
        del names[next(iter(names))]


def quietest() -> tuple[Visit, ...]:
    """Return the pages that are open, the one first on which nobody has done anything for longest."""
    with _lock:
        return tuple(sorted(_open.values(), key=lambda visit: visit.seen))


def rest() -> None:
    """Note that a page was let go because nobody was there."""
    with _lock:
        _rested[0] += 1


def rested() -> int:
    """Return how many pages were let go because nobody was there."""
    return _rested[0]


def kept() -> int:
    """Return how many visits that have lost their connection are kept, for those who come back at once."""
    gone = _gone()
    return 0 if gone is None else len(gone._data)  # its own length would drop what is counted


def forget_later() -> None:
    """Give back what a visit keeps that has just ended, once it may not come back any more.

    Streamlit drops such visits only when another ends.
    """
    wait = config.get_option("server.disconnectedSessionTTL") + 1
    asyncio.get_running_loop().call_later(wait, _forget)


def _forget() -> None:
    gone = _gone()
    for _, visit in () if gone is None else gone.expire():
        visit.session.shutdown()


def _gone() -> Any:
    """Return where Streamlit keeps them, None where no server runs."""
    manager: Any = getattr(Runtime.instance(), "_session_mgr", None) if Runtime.exists() else None
    return None if manager is None else manager._session_storage._cache
