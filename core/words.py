"""The message catalogues: a key and values become a sentence in one of the languages of `assets/words`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "words"


def languages() -> tuple[str, ...]:
    """Return the languages that have a catalogue, English first."""
    found = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
    return tuple(sorted(found, key=lambda name: (name != "en", name)))


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return every message of one language under `<file>.<key>`.

    Raises:
        KeyError: no such language.
    """
    if language not in languages():
        raise KeyError(language)
    messages: dict[str, str] = {}
    for file in sorted((FOLDER / language).glob("*.toml")):
        entries = tomllib.loads(file.read_text(encoding="utf-8"))
        messages |= {f"{file.stem}.{key}": text for key, text in entries.items()}
    return messages


def say(language: str, key: str, **values: object) -> str:
    """Return the message `key` in `language` with its `{placeholders}` filled; values are inserted as they are.

    Raises:
        KeyError: no such language, message or value.
    """
    return catalogue(language)[key].format(**values)
