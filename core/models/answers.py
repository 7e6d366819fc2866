"""How a published config says that an answer begins, goes on and ends: what an encoder-decoder's decoder is given."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, takewhile
from typing import Any

from core.models.plan import Config


def answer(config: Config) -> dict[str, Any]:
    """Return what a Spec says of answers: `start`, `ends`, `never` and `never_first`.

    An answer begins with `decoder_start_token_id`, and with what `forced_bos_token_id` (BART) or `forced_decoder_ids`
    (Whisper) force after it, up to the first that is left open (the language, where it is to be found out). Nothing is
    known to begin with where the config names no first piece.
    """
    return {
        "start": _start(config),
        "ends": frozenset(_several(config.get("eos_token_id"))),
        "never": frozenset([*_alone(config), *_several(config.get("suppress_tokens"))]),
        "never_first": frozenset(_several(config.get("begin_suppress_tokens"))),
    }


def _start(config: Config) -> tuple[int, ...]:
    first = config.get("decoder_start_token_id")
    if first is None:
        return ()
    forced = {1: config.get("forced_bos_token_id"), **dict(config.get("forced_decoder_ids") or [])}
    known = takewhile(lambda place: forced.get(place) is not None, count(1))
    return (int(first), *(int(forced[place]) for place in known))


def _alone(config: Config) -> Iterable[int]:
    """Yield the pieces that may not be written, where they are banned one by one and not as a run."""
    return (run[0] for run in config.get("bad_words_ids") or [] if len(run) == 1)


def _several(found: Any) -> list[int]:
    if found is None:
        return []
    return list(found) if isinstance(found, list | tuple) else [found]
