"""Who may run a model now: by the memory that it will take, and by how long those take who come first.

Both are estimates from what runs of the same model took before. The memory of a trace grows with the length alone, so
one run says what a piece costs; a first run is let in, bounded by the longest text that the server takes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from core.catalog.memory import available, memory_told
from core.engine.tally import Tally, Turn
from core.errors import CoreError
from core.settings import MEBIBYTE, Settings
from core.tracing.shelf import Sized

Made = TypeVar("Made", bound=Sized)
WORKSPACE = 1.5  # what one layer has in work beside what is kept
SLOWLY = 0.2


class Admission:
    """Lets runs in, one at a time, and remembers what they took."""

    def __init__(self, settings: Settings, tally: Tally, free: Callable[[], int] = available) -> None:
        self.turn = Turn(tally)
        self._settings, self._tally, self._free = settings, tally, free
        self._lock = threading.Lock()
        self._bytes: dict[str, float] = {}
        self._seconds = 0.0

    def run(self, model: str, length: int, make: Callable[[], Made]) -> Made:
        """Wait for a turn and run; note what it took.

        Raises:
            CoreError: `run_memory` for a run that would take more memory than there is, before it begins;
                `run_memory_ended` for one that turns out to; `busy` where too many come first.
        """
        self._admit(model, length)
        with self.turn, self._tally.timed("run"):
            began = time.monotonic()
            with memory_told("run_memory_ended", model=model, came=length):
                made = make()
            self._note(model, made.bytes / max(1, length), time.monotonic() - began)
        return made

    def _admit(self, model: str, length: int) -> None:
        wait = self.turn.waiting * self._seconds
        if wait > self._settings.max_wait:
            values = {"ahead": self.turn.waiting, "seconds": round(wait), "allowed": self._settings.max_wait}
            raise CoreError("busy", **values)
        wanted = WORKSPACE * length * self._bytes.get(model, 0.0)
        if wanted and wanted > (free := self._free()):
            values = {"came": length, "wanted": round(wanted / MEBIBYTE), "free": free // MEBIBYTE}
            raise CoreError("run_memory", model=model, **values)

    def _note(self, model: str, each: float, seconds: float) -> None:
        with self._lock:
            self._bytes[model] = max(each, self._bytes.get(model, 0.0))
            self._seconds = seconds if not self._seconds else (1 - SLOWLY) * self._seconds + SLOWLY * seconds
