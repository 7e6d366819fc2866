"""What is asked of an engine, and the small ticket that it gives for a trace."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from core.changes import Change


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to trace: a model by name, a text or two, and what to alter; `step` picks a snapshot of its training.

    An altered encoder-decoder reads the answer that it gives unaltered, so that both runs have the same places; with
    `own` it writes one of its own.
    """

    model: str
    text: str
    pair: str | None = None
    changes: tuple[Change, ...] = ()
    step: int | None = None
    own: bool = False


@dataclass(frozen=True, kw_only=True)
class TraceRef:
    """A small ticket for a trace: a key that cannot be guessed, and the request from which it can be made again."""

    key: str
    request: Request
    length: int
    sides: tuple[str, ...]


def key_of(request: Request, salt: bytes) -> str:
    """Return the key of what a request asks for: the same wherever the salt is, and not to be guessed without it."""
    own = request.own and bool(request.changes)
    said = repr((request.model, request.step, request.text, request.pair, request.changes, own)).encode(
        "utf-8", "backslashreplace"
    )
    return hashlib.blake2b(said, key=salt, digest_size=16).hexdigest()
