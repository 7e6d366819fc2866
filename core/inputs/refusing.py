"""What a tokenizer library refuses, in the core's own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import CoreError


@contextmanager
def refusing(key: str, **values: object) -> Iterator[None]:
    """Turn whatever the library raises into one error with the reason in `why`.

    Its panics (a pattern that never ends, for one) are no Exception, so only what ends a program passes through.

    Raises:
        CoreError: `key`.
    """
    try:
        yield
    except (CoreError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise CoreError(key, why=str(error)[:200], **values) from error
