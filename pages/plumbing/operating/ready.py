"""Whether the server can answer: the model that a visit begins with is open and has read one sentence."""

from __future__ import annotations

import threading
import time

import core
from pages.plumbing import doors
from pages.plumbing.operating import logs
from pages.plumbing.state import Asked

_ready = threading.Event()


def begin() -> None:
    """Open the first model in the background, so that the first visitor does not wait for it."""
    threading.Thread(target=_open, name="ready", daemon=True).start()


def yet() -> bool:
    """Tell whether visitors find an open model."""
    return _ready.is_set()


def _open() -> None:
    began, model = time.monotonic(), doors.usual()
    try:
        doors.trace(Asked(model=model))
    except (core.CoreError, OSError) as refused:
        logs.event("not ready", model=model, reason=getattr(refused, "key", type(refused).__name__))
        return
    _ready.set()
    logs.event("ready", model=model, seconds=round(time.monotonic() - began, 3))
