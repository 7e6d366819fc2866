"""Logs of one JSON object a line, without a word that a visitor typed.

A message of somebody else's code may hold anything, and so may the text of an exception: of both only the place and the
kind are kept, unless the operator asks for more. What this page itself reports are events with named values.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
import traceback
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NAME = "heads_up"
KEPT, DEEP = 50, 6

Raised = tuple[type[BaseException], BaseException, TracebackType | None]


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """An error that somebody met: when, its kind, and where, innermost place last."""

    when: str
    kind: str
    places: tuple[str, ...]


_recent: deque[Trouble] = deque(maxlen=KEPT)


def begin(*, texts: bool = False) -> None:
    """Write every log of this process in this way; `texts` keeps messages as they are, with all that they may hold."""
    logging.setLogRecordFactory(partial(_record, texts))
    ours = logging.getLogger(NAME)
    if not ours.handlers:
        ours.addHandler(logging.StreamHandler(sys.stderr))
    ours.setLevel(logging.INFO)
    ours.propagate = False


def event(name: str, **values: object) -> None:
    """Report that something happened, with values that come from no visitor."""
    logging.getLogger(NAME).info({"event": name, **values})


def recent() -> tuple[Trouble, ...]:
    """Return the latest errors, newest first."""
    return tuple(reversed(_recent))


def _record(texts: bool, *given: Any, **rest: Any) -> logging.LogRecord:
    record = logging.LogRecord(*given, **rest)
    raised = record.exc_info if record.exc_info and record.exc_info[0] is not None else None
    told = _told(record, texts) | ({} if raised is None else _error(raised, texts))
    if raised is not None:
        _recent.append(Trouble(when=told["time"], kind=told["error"], places=tuple(told["places"])))
    record.msg, record.args, record.exc_info, record.stack_info = json.dumps(told, ensure_ascii=False), None, None, None
    return record


def _told(record: logging.LogRecord, texts: bool) -> dict[str, Any]:
    when = datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds")
    told: dict[str, Any] = {"time": when, "level": record.levelname, "logger": record.name}
    if record.name == NAME and isinstance(record.msg, dict):
        return told | record.msg
    told["place"] = f"{_near(record.pathname)}:{record.lineno}"
    return told | {"said": record.getMessage()} if texts else told


def _error(raised: Raised | Any, texts: bool) -> dict[str, Any]:
    kind, what, trail = raised
    frames = traceback.extract_tb(trail)[-DEEP:]
    told = {"error": kind.__name__, "places": [f"{_near(one.filename)}:{one.lineno} {one.name}" for one in frames]}
    return told | {"why": str(what)} if texts else told


def _near(file: str) -> str:
    """Return where a file lies, told from the project's folder or from the place of packages."""
    path = Path(file)
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
